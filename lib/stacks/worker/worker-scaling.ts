import { Duration, Stack, Validations } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc } from 'aws-cdk-lib/aws-ec2';
import type { ICluster } from 'aws-cdk-lib/aws-ecs';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Code } from 'aws-cdk-lib/aws-lambda';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { SCALING_KIND } from '../../platform/aws/tables.ts';
import type { Deployment } from '../../platform/config/deployment.ts';
import type { DataStack } from '../data/data-stack.ts';
import { scaleWorkersName, workerBuildName } from '../data/shared-names.ts';
import { FUNCTION_MEMORY } from '../functions/function-memory.ts';
import { scaleEnvironment } from '../functions/process-environment.ts';
import { ServiceFunction } from '../functions/service-function.ts';
import { IAM_EXCEPTIONS } from '../iam/iam-exceptions.ts';
import { EXCEPT_PRIVATE, indexStatement, itemStatement, ofKinds, tellStatement } from '../iam/table-grants.ts';
import type { WorkerTask } from './worker-task.ts';

interface WorkerScalingProps {
  readonly data: DataStack;
  readonly deployment: Deployment;
  readonly code: Code;
  readonly task: WorkerTask;
  readonly cluster: ICluster;
  readonly vpc: IVpc;
  readonly workers: ISecurityGroup;
}

/** Launches workers: the only function with that permission. */
export class WorkerScaling extends Construct {
  constructor(scope: Construct, id: string, props: WorkerScalingProps) {
    super(scope, id);
    const { data, deployment, cluster, task } = props;
    // Its value changes with each revision, which an export between stacks can't.
    const build = new StringParameter(this, 'Build', {
      parameterName: workerBuildName(data),
      description: 'The task definition that workers are to be of',
      stringValue: task.definition.taskDefinitionArn,
    });
    const scale = new ServiceFunction(this, 'ScaleWorkers', {
      name: scaleWorkersName(data),
      description: 'launches the workers that the work needs',
      code: props.code,
      environment: scaleEnvironment(data, deployment, {
        cluster: cluster.clusterName,
        subnets: props.vpc.publicSubnets.map(({ subnetId }) => subnetId).join(','),
        securityGroup: props.workers.securityGroupId,
        buildParameter: build.parameterName,
      }),
      statements: [
        itemStatement(data, 'registry', ['GetItem', 'Query'], EXCEPT_PRIVATE),
        itemStatement(data, 'registry', ['PutItem', 'DeleteItem'], ofKinds(SCALING_KIND)),
        tellStatement(data),
        indexStatement(data, ['by-status']),
        new PolicyStatement({ actions: ['ssm:GetParameter'], resources: [build.parameterArn] }),
        ...taskStatements(this, cluster, task),
      ],
      memorySize: FUNCTION_MEMORY.trigger,
      // A thousand tasks at RunTask's rate of some twenty a second.
      timeout: Duration.minutes(2),
      deployment,
    });
    // The next decision also answers an earlier request: a late one is of no use.
    scale.resource.configureAsyncInvoke({ retryAttempts: 1, maxEventAge: Duration.minutes(1) });
    const target = new LambdaTarget(scale.resource, { retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    new Rule(this, 'EveryMinute', { schedule: Schedule.rate(Duration.minutes(1)), targets: [target] });
    acknowledge(scale, this, props);
  }
}

/** Permission to start workers only, in this cluster and under the workers' roles, and to describe them. */
function taskStatements(scope: Construct, cluster: ICluster, { definition }: WorkerTask): PolicyStatement[] {
  const stack = Stack.of(scope);
  const inCluster = { ArnEquals: { 'ecs:cluster': cluster.clusterArn } };
  const ofCluster = (resource: string) =>
    stack.formatArn({ service: 'ecs', resource, resourceName: `${cluster.clusterName}/*` });
  return [
    new PolicyStatement({
      actions: ['ecs:RunTask'],
      resources: [
        stack.formatArn({ service: 'ecs', resource: 'task-definition', resourceName: `${definition.family}:*` }),
      ],
      conditions: inCluster,
    }),
    new PolicyStatement({ actions: ['ecs:DescribeTasks'], resources: [ofCluster('task')], conditions: inCluster }),
    new PolicyStatement({
      actions: ['iam:PassRole'],
      resources: [definition.taskRole.roleArn, definition.obtainExecutionRole().roleArn],
      conditions: { StringEquals: { 'iam:PassedToService': 'ecs-tasks.amazonaws.com' } },
    }),
  ];
}

function acknowledge(scale: ServiceFunction, scope: Construct, { task, cluster }: WorkerScalingProps): void {
  const { Ref } = Stack.of(scope).resolve(cluster.clusterName) as { Ref: string };
  const reasons = {
    [`task-definition/${task.definition.family}:*`]: IAM_EXCEPTIONS.revisions.reason,
    [`task/<${Ref}>/*`]: IAM_EXCEPTIONS.tasks.reason,
  };
  for (const [resource, reason] of Object.entries(reasons)) {
    const arn = `arn:<AWS::Partition>:ecs:<AWS::Region>:<AWS::AccountId>:${resource}`;
    Validations.of(scale).acknowledge({ id: `AwsSolutions-IAM5[Resource::${arn}]`, reason });
  }
}
