import { Duration, Validations } from 'aws-cdk-lib';
import { type IVpc, Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Deployment } from '../../platform/config/deployment.ts';
import type { DataStack } from '../data/data-stack.ts';
import { LOGIN_PORT, loginReaderName } from '../data/shared-names.ts';
import { FUNCTION_MEMORY } from '../functions/function-memory.ts';
import { ServiceFunction } from '../functions/service-function.ts';
import { IAM_EXCEPTIONS } from '../iam/iam-exceptions.ts';

interface LoginReaderProps {
  readonly data: DataStack;
  readonly deployment: Deployment;
  readonly code: Code;
  readonly vpc: IVpc;
  readonly workers: SecurityGroup;
}

/** Reads login codes. Nothing else may enter the workers' network, and the function reaches nothing but that port. */
export class LoginReader extends Construct {
  constructor(scope: Construct, id: string, { data, deployment, code, vpc, workers }: LoginReaderProps) {
    super(scope, id);
    const group = new SecurityGroup(this, 'Group', {
      vpc,
      description: 'Asks workers for the code of a login',
      allowAllOutbound: false,
    });
    group.connections.allowTo(workers, Port.tcp(LOGIN_PORT), 'the code of a login');
    const reader = new ServiceFunction(this, 'ReadLoginCode', {
      name: loginReaderName(data),
      description: 'asks a worker for the code of the login that it runs',
      code,
      environment: {},
      statements: [new PolicyStatement({ actions: [...IAM_EXCEPTIONS.networkInterfaces.actions], resources: ['*'] })],
      memorySize: FUNCTION_MEMORY.trigger,
      timeout: Duration.seconds(10),
      network: { vpc, group },
      deployment,
    });
    // A late code is of no use.
    reader.resource.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    Validations.of(reader).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: IAM_EXCEPTIONS.networkInterfaces.reason,
    });
  }
}
