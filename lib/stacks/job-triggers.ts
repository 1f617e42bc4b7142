import { Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { ApiStackProps } from './api-stack.ts';
import type { DataStack } from './data-stack.ts';
import {
  deadLettersStatement,
  EXCEPT_TOKENS,
  indexStatement,
  itemStatement,
  ofJobKindsAnd,
  ofKinds,
  outputStatements,
  queueStatement,
} from './data-statements.ts';
import { triggerEnvironment } from './process-environment.ts';
import { ServiceFunction } from './service-function.ts';

/** The functions that no client calls: one keeps the counts, one looks every minute that no job is forgotten. */
export class JobTriggers extends Construct {
  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id);
    this.#countJobs(props);
    this.#watchJobs(props);
  }

  #countJobs({ data, deployment, codeOf }: ApiStackProps): void {
    const streamArn = streamOf(data);
    const count = new ServiceFunction(this, 'CountJobs', {
      description: 'keeps the counts of jobs by state',
      code: codeOf('triggers.count-jobs'),
      environment: triggerEnvironment(data, deployment),
      statements: [
        itemStatement(data, 'registry', ['GetItem', 'UpdateItem'], ofKinds('counter')),
        new PolicyStatement({
          actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
          resources: [streamArn],
        }),
        new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }),
      ],
      memorySize: 256,
      timeout: Duration.minutes(1),
      deployment,
    });
    // A count is lost with the first record that is given up: so none is, neither for its tries nor for its age, and
    // no destination takes it away. One batch of a shard at a time: the checkpoint is the last record counted.
    new EventSourceMapping(this, 'JobChanges', {
      target: count.resource,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      tumblingWindow: Duration.seconds(1),
      batchSize: 1_000,
      parallelizationFactor: 1,
      bisectBatchOnError: true,
      retryAttempts: -1,
    });
    Validations.of(count).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'dynamodb:ListStreams, which Lambda asks for to read a stream, can not be limited to one.',
    });
  }

  #watchJobs({ data, deployment, codeOf }: ApiStackProps): void {
    const watch = new ServiceFunction(this, 'WatchJobs', {
      description:
        'settles jobs whose worker was lost, makes follow-ups, and sees to it that no waiting job is forgotten',
      code: codeOf('triggers.watch-jobs'),
      environment: triggerEnvironment(data, deployment),
      statements: [
        itemStatement(data, 'jobs', ['GetItem', 'PutItem', 'UpdateItem']),
        indexStatement(data, ['by-status', 'ready']),
        itemStatement(data, 'registry', ['GetItem'], EXCEPT_TOKENS),
        itemStatement(data, 'registry', ['PutItem', 'DeleteItem'], ofJobKindsAnd()),
        queueStatement(data, ['SendMessage', 'GetQueueAttributes']),
        deadLettersStatement(data),
        ...outputStatements(data, ['GetObject', 'PutObject']),
      ],
      memorySize: 256,
      timeout: Duration.minutes(5),
      deployment,
    });
    // The next minute is the retry.
    const target = new LambdaTarget(watch.resource, { retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    new Rule(this, 'EveryMinute', { schedule: Schedule.rate(Duration.minutes(1)), targets: [target] });
  }
}

function streamOf(data: DataStack): string {
  const arn = data.tables.jobs.tableStreamArn;
  if (arn === undefined) throw new Error('the jobs table has no stream, from which jobs are counted');
  return arn;
}
