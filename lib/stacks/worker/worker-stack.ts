import { CfnOutput, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { GatewayVpcEndpointAwsService, type IVpc, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { CfnClusterCapacityProviderAssociations, Cluster, ContainerInsights } from 'aws-cdk-lib/aws-ecs';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Deployment } from '../../platform/config/deployment.ts';
import type { WorkerNetwork } from '../../platform/config/worker-network.ts';
import type { DataStack } from '../data/data-stack.ts';
import { READ_LOGIN_CODE, SCALE_WORKERS } from '../functions/bundle-functions.ts';
import { acknowledgeOutputAccess } from '../iam/acknowledge-output-access.ts';
import { LoginReader } from './login-reader.ts';
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
