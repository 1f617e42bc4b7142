import { CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { GatewayVpcEndpointAwsService, type IVpc, Port, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { CfnClusterCapacityProviderAssociations, Cluster, ContainerInsights } from 'aws-cdk-lib/aws-ecs';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Deployment } from '../../platform/config/deployment.ts';
import type { WorkerNetwork } from '../../platform/config/worker-network.ts';
import type { DataStack } from '../data/data-stack.ts';
import { LOGIN_PORT, loginReaderName } from '../data/shared-names.ts';
import { READ_LOGIN_CODE, SCALE_WORKERS } from '../functions/bundle-functions.ts';
import { FUNCTION_MEMORY } from '../functions/function-memory.ts';
import { ServiceFunction } from '../functions/service-function.ts';
import { acknowledgeOutputAccess } from '../iam/acknowledge-output-access.ts';
import { IAM_EXCEPTIONS } from '../iam/iam-exceptions.ts';
import { WorkerScaling } from './worker-scaling.ts';
import { WorkerTask } from './worker-task.ts';
import { Workspaces } from './workspaces.ts';

interface WorkerStackProps {
  readonly data: DataStack;
  readonly deployment: Deployment;
  readonly version: string;
  /** The code of a function. */
  readonly codeOf: (functionId: string) => Code;
}

/**
 * The workers' stack: standalone Fargate tasks. There is no ECS service, because scaling in or deploying a service ends
 * tasks even while they run a job.
 */
export class WorkerStack extends Stack {
  constructor(scope: Construct, id: string, { data, deployment, version, codeOf }: WorkerStackProps) {
    super(scope, id, { description: 'Promptq: where workers run' });
    const vpc = workerVpc(this, 'Network', deployment.network);
    const workers = new SecurityGroup(this, 'Workers', {
      vpc,
      description: 'Workers: nothing comes in but one function for logins; they reach vendors, registries and AWS',
      allowAllOutbound: true,
    });
    const workspaces = new Workspaces(this, 'Workspaces', { vpc, workers });
    const log = new LogGroup(this, 'Log', {
      retention: deployment.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const cluster = new Cluster(this, 'Cluster', {
      vpc,
      containerInsightsV2: ContainerInsights.DISABLED,
    });
    offerFargate(cluster, workspaces);
    const task = new WorkerTask(this, 'Task', { data, deployment, version, workspaces, log });
    const scaling = { data, deployment, code: codeOf(SCALE_WORKERS), task, cluster, vpc, workers };
    new WorkerScaling(this, 'Scaling', scaling);
    new LoginReader(this, 'CodeReader', { data, deployment, code: codeOf(READ_LOGIN_CODE), vpc, workers });
    acknowledgeOutputAccess(this, data);
    acknowledge(this);
    new CfnOutput(this, 'ClusterName', { value: cluster.clusterName });
    new CfnOutput(this, 'TaskDefinitionArn', { value: task.definition.taskDefinitionArn });
    new CfnOutput(this, 'SubnetIds', { value: vpc.publicSubnets.map((subnet) => subnet.subnetId).join(',') });
    new CfnOutput(this, 'SecurityGroupId', { value: workers.securityGroupId });
  }
}

/**
 * Allows tasks of the cluster to run on Fargate. The account's first cluster makes ECS create its service-linked role,
 * which this needs and which is usable some seconds later: so it waits for the mount targets, which take a minute.
 */
function offerFargate(cluster: Cluster, workspaces: Workspaces): void {
  // Under the id of the CDK's own resource, which can't have dependencies.
  const associations = new CfnClusterCapacityProviderAssociations(cluster, 'Cluster', {
    cluster: cluster.clusterName,
    capacityProviders: ['FARGATE', 'FARGATE_SPOT'],
    defaultCapacityProviderStrategy: [],
  });
  associations.node.addDependency(workspaces.mountTargets);
}

function acknowledge(stack: WorkerStack): void {
  const reasons = {
    'AwsSolutions-VPC7':
      'Nothing but a login in progress listens in this network, for one function; flow logs would cost more than an idle deployment.',
    'AwsSolutions-ECS2': 'The environment holds names of tables, queues and folders, and no secret.',
    'AwsSolutions-ECS4':
      'Workers tell what they do in the table and in their log; Container Insights is billed by metric.',
  };
  for (const [id, reason] of Object.entries(reasons)) Validations.of(stack).acknowledge({ id, reason });
}

/** The workers' network: the one that the settings name, with nothing changed in it, or a new one. */
function workerVpc(scope: Construct, id: string, { availabilityZones, vpcId, subnets = {} }: WorkerNetwork): IVpc {
  if (vpcId !== undefined) {
    const vpc = Vpc.fromVpcAttributes(scope, id, {
      vpcId,
      availabilityZones: Object.keys(subnets),
      publicSubnetIds: Object.values(subnets),
    });
    for (const { node } of vpc.publicSubnets)
      Validations.of(node.scope ?? scope).acknowledge({
        id: 'Annotation::@aws-cdk/aws-ec2:noSubnetRouteTableId',
        reason: 'Nothing is added to the route tables of an existing network.',
      });
    return vpc;
  }
  // Public subnets only: a NAT gateway would cost more than everything else. Free gateway endpoints keep AWS traffic
  // inside.
  return new Vpc(scope, id, {
    ...(availabilityZones && { availabilityZones }),
    natGateways: 0,
    subnetConfiguration: [{ name: 'Public', subnetType: SubnetType.PUBLIC, mapPublicIpOnLaunch: false }],
    gatewayEndpoints: {
      S3: { service: GatewayVpcEndpointAwsService.S3 },
      DynamoDb: { service: GatewayVpcEndpointAwsService.DYNAMODB },
    },
    // Nothing uses the default security group; emptying it requires a function with extra permissions.
    restrictDefaultSecurityGroup: false,
  });
}

interface LoginReaderProps {
  readonly data: DataStack;
  readonly deployment: Deployment;
  readonly code: Code;
  readonly vpc: IVpc;
  readonly workers: SecurityGroup;
}

/** Reads login codes. Nothing else may enter the workers' network, and the function reaches nothing but that port. */
class LoginReader extends Construct {
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
