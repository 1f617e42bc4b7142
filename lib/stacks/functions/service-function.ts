import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import { type ISecurityGroup, type IVpc, SubnetType } from 'aws-cdk-lib/aws-ec2';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, type Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Deployment } from '../../platform/config/deployment.ts';
import { operationsEnvironment } from './process-environment.ts';

export interface ServiceFunctionProps {
  /** By which a stack that doesn't know this one calls it; default: CloudFormation makes one. */
  readonly name?: string;
  readonly description: string;
  readonly code: Code;
  readonly environment: Readonly<Record<string, string>>;
  /** All that the function may do, besides writing its own log. */
  readonly statements: readonly PolicyStatement[];
  /** MiB. */
  readonly memorySize: number;
  readonly timeout: Duration;
  readonly deployment: Deployment;
  /** Where it stands; default: in no network of ours. What it reaches there is up to its group; it has no way to the internet. */
  readonly network?: { readonly vpc: IVpc; readonly group: ISecurityGroup };
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
      ...(props.name !== undefined && { functionName: props.name }),
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      code: props.code,
      handler: 'index.handler',
      environment: { ...props.environment, ...operationsEnvironment(props.deployment) },
      memorySize: props.memorySize,
      timeout: props.timeout,
      role,
      logGroup: log,
      ...(props.network && {
        vpc: props.network.vpc,
        vpcSubnets: { subnetType: SubnetType.PUBLIC },
        allowPublicSubnet: true,
        securityGroups: [props.network.group],
      }),
    });
  }
}
