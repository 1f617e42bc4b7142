import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, type Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Deployment } from '../config/deployment.ts';

export interface ServiceFunctionProps {
  readonly description: string;
  readonly code: Code;
  readonly environment: Readonly<Record<string, string>>;
  /** All that the function may do, besides writing its own log. */
  readonly statements: readonly PolicyStatement[];
  /** MiB. */
  readonly memorySize: number;
  readonly timeout: Duration;
  readonly deployment: Deployment;
}

/** One of our functions, with its log and a role of its own that has no managed policy. */
export class ServiceFunction extends Construct {
  readonly resource: LambdaFunction;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    const log = new LogGroup(this, 'Log', {
      retention: props.deployment.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const ownLog = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [log.logGroupArn],
    });
    // Inline, so that no function is ever invoked before it may do its work.
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { access: new PolicyDocument({ statements: [ownLog, ...props.statements] }) },
    });
    this.resource = new LambdaFunction(this, 'Resource', {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: props.code,
      handler: 'index.handler',
      environment: { ...props.environment, POWERTOOLS_LOG_LEVEL: 'INFO' },
      memorySize: props.memorySize,
      timeout: props.timeout,
      role,
      logGroup: log,
    });
  }
}
