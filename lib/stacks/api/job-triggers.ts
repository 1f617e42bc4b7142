import { Duration, Validations } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping, FilterCriteria, type IFunction, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { STATS_KINDS } from '../../counters/stats-items.ts';
import {
  ACCOUNT_WAIT_KIND,
  AUDIT_KIND,
  BINDING_SECRET_KIND,
  EVENT_KINDS,
  EXPORT_KIND,
  SCALING_KIND,
  SUBSCRIPTION_KINDS,
  WRITTEN_KINDS,
} from '../../platform/aws/tables.ts';
import { COUNTED_RECORDS } from '../../stats/counting/stream-filter.ts';
import type { DataStack } from '../data/data-stack.ts';
import { makeExportsName, readFeedName, reconcileJobsName } from '../data/shared-names.ts';
import { FUNCTION_MEMORY } from '../functions/function-memory.ts';
import {
  countEnvironment,
  makeExportsEnvironment,
  messageEnvironment,
  readFeedEnvironment,
  reconcileEnvironment,
  triggerEnvironment,
} from '../functions/process-environment.ts';
import { ServiceFunction } from '../functions/service-function.ts';
import { IAM_EXCEPTIONS } from '../iam/iam-exceptions.ts';
import { acknowledgeMail, mailStatements } from '../iam/mail-access.ts';
import {
  continueReconcilingStatement,
  deadLettersStatement,
  deliveriesStatement,
  EXCEPT_PRIVATE,
  exportStatements,
  givenUpStatement,
  indexStatement,
  itemStatement,
  ofKinds,
  ofKindsLike,
  outputRemovalStatements,
  outputStatements,
  queueStatement,
  receiptStatements,
  serviceEndpointsStatement,
  signalsStatement,
  tellStatement,
  tokenStateStatement,
  wakeExportsStatement,
  wakeReadersStatement,
  wakeScalingStatement,
} from '../iam/table-grants.ts';
import type { ApiStackProps } from './api-stack-props.ts';

/**
 * The functions that no client calls: one keeps the counts and the feed of events, one reconciles jobs every minute, one makes signed calls,
 * one deletes old jobs, one makes exports, one runs readers of the feed.
 */
export class JobTriggers extends Construct {
  readonly countJobs: IFunction;
  readonly reconcileJobs: IFunction;

  constructor(scope: Construct, id: string, props: ApiStackProps) {
    super(scope, id);
    this.countJobs = this.#countJobs(props);
    this.reconcileJobs = this.#reconcileJobs(props);
    this.#deliverCalls(props);
    this.#sweepJobs(props);
    this.#makeExports(props);
    this.#readFeed(props);
  }

  #countJobs({ data, deployment, codeOf }: ApiStackProps): IFunction {
    const streamArn = streamOf(data);
    const count = new ServiceFunction(this, 'CountJobs', {
      description: 'keeps the counts of jobs and the feed of events, and tells when work appears',
      code: codeOf('triggers.count-jobs'),
      environment: countEnvironment(data, deployment),
      statements: [
        itemStatement(data, 'registry', ['GetItem', 'UpdateItem'], ofKinds('counter', ...Object.values(STATS_KINDS))),
        itemStatement(data, 'registry', ['PutItem', 'Query'], ofKinds(EVENT_KINDS.head)),
        itemStatement(data, 'registry', ['PutItem'], ofKindsLike(`${EVENT_KINDS.packets}*`)),
        itemStatement(data, 'registry', ['PutItem', 'DeleteItem'], ofKinds(ACCOUNT_WAIT_KIND)),
        itemStatement(data, 'registry', ['GetItem'], ofKinds('profile')),
        // Workers, which create jobs in the name of others, may not write these.
        itemStatement(data, 'registry', ['PutItem'], ofKinds(AUDIT_KIND)),
        new PolicyStatement({
          actions: ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator'],
          resources: [streamArn],
        }),
        new PolicyStatement({ actions: ['dynamodb:ListStreams'], resources: ['*'] }),
        wakeScalingStatement(data),
        wakeReadersStatement(data),
      ],
      memorySize: FUNCTION_MEMORY.trigger,
      timeout: Duration.minutes(1),
      deployment,
    });
    // A dropped record would corrupt the counts: so no record is dropped for its attempts or its age, and there is no
    // failure destination. One batch of a shard at a time: the checkpoint is the last record counted.
    new EventSourceMapping(this, 'JobChanges', {
      target: count.resource,
      eventSourceArn: streamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      tumblingWindow: Duration.seconds(1),
      batchSize: 1_000,
      parallelizationFactor: 1,
      bisectBatchOnError: true,
      retryAttempts: -1,
      filters: COUNTED_RECORDS.map((pattern) => FilterCriteria.filter({ ...pattern })),
    });
    Validations.of(count).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: IAM_EXCEPTIONS.streams.reason,
    });
    return count.resource;
  }

  #reconcileJobs({ data, deployment, codeOf }: ApiStackProps): IFunction {
    const watch = new ServiceFunction(this, 'WatchJobs', {
      name: reconcileJobsName(data),
      description:
        'settles jobs whose worker was lost, makes follow-ups, and sees to it that no waiting job is forgotten',
      code: codeOf('triggers.reconcile-jobs'),
      environment: reconcileEnvironment(data, deployment),
      statements: [
        itemStatement(data, 'jobs', ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem']),
        indexStatement(data, ['by-status', 'ready']),
        itemStatement(data, 'registry', ['GetItem', 'BatchGetItem', 'Query'], EXCEPT_PRIVATE),
        itemStatement(data, 'registry', ['PutItem', 'DeleteItem'], ofKindsLike(...WRITTEN_KINDS.reconciler)),
        signalsStatement(data),
        // A job starts follow-up jobs only while its token may.
        tokenStateStatement(data),
        queueStatement(data, ['SendMessage', 'GetQueueAttributes']),
        deadLettersStatement(data),
        deliveriesStatement(data, ['SendMessage']),
        ...outputStatements(data, ['GetObject', 'PutObject']),
        ...outputRemovalStatements(data),
        wakeReadersStatement(data),
        // While more automations are due than one call can fire.
        continueReconcilingStatement(data),
      ],
      memorySize: FUNCTION_MEMORY.trigger,
      timeout: Duration.minutes(5),
      deployment,
    });
    // The next minute's run is the retry.
    const target = new LambdaTarget(watch.resource, { retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    new Rule(this, 'EveryMinute', { schedule: Schedule.rate(Duration.minutes(1)), targets: [target] });
    return watch.resource;
  }

  #deliverCalls({ data, deployment, codeOf }: ApiStackProps): void {
    const deliver = new ServiceFunction(this, 'DeliverCalls', {
      description: 'makes the signed calls of deploy bindings',
      code: codeOf('triggers.deliver-calls'),
      environment: triggerEnvironment(data, deployment),
      statements: [
        itemStatement(data, 'jobs', ['GetItem', 'UpdateItem']),
        tellStatement(data),
        itemStatement(
          data,
          'registry',
          ['GetItem', 'Query'],
          ofKindsLike('binding', BINDING_SECRET_KIND, 'deployments#*'),
        ),
        itemStatement(data, 'registry', ['PutItem'], ofKindsLike('binding', 'deployments#*')),
        deliveriesStatement(data, ['ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility', 'GetQueueAttributes']),
        givenUpStatement(data),
      ],
      memorySize: FUNCTION_MEMORY.trigger,
      timeout: CALLS_TIMEOUT,
      deployment,
    });
    new EventSourceMapping(this, 'Calls', {
      target: deliver.resource,
      eventSourceArn: data.deliveries.queueArn,
      batchSize: 10,
      reportBatchItemFailures: true,
      // The least there is. Each makes ten calls at once, and a new account runs ten functions at a time.
      maxConcurrency: 2,
    });
  }

  /** It is called by name, and Lambda repeats a call that fails, twice. */
  #makeExports({ data, deployment, codeOf }: ApiStackProps): void {
    new ServiceFunction(this, 'MakeExports', {
      name: makeExportsName(data),
      description: 'makes the files of exports',
      code: codeOf('triggers.make-exports'),
      environment: makeExportsEnvironment(data, deployment),
      statements: [
        itemStatement(data, 'jobs', ['BatchGetItem']),
        indexStatement(data, ['by-status', 'by-time']),
        itemStatement(data, 'registry', ['GetItem', 'BatchGetItem', 'Query'], ofKindsLike(...EXPORTED_KINDS)),
        itemStatement(data, 'registry', ['GetItem', 'PutItem'], ofKinds(EXPORT_KIND)),
        itemStatement(data, 'registry', ['Query'], ofKinds(AUDIT_KIND)),
        ...receiptStatements(data),
        ...exportStatements(data, ['GetObject', 'PutObject', 'DeleteObject', 'AbortMultipartUpload']),
        // To continue when its time is up.
        wakeExportsStatement(data),
      ],
      memorySize: FUNCTION_MEMORY.exports,
      timeout: Duration.minutes(15),
      deployment,
    });
  }

  /** It is called by name for each reader, and Lambda repeats a call that fails, twice. */
  #readFeed({ data, deployment, codeOf }: ApiStackProps): void {
    const read = new ServiceFunction(this, 'ReadFeed', {
      name: readFeedName(data),
      description: 'runs readers of the feed of events',
      code: codeOf('triggers.read-feed'),
      environment: { ...readFeedEnvironment(data, deployment), ...messageEnvironment(data, deployment) },
      statements: [
        ...mailStatements(data, deployment),
        serviceEndpointsStatement(data),
        itemStatement(data, 'registry', ['GetItem', 'UpdateItem', 'DeleteItem'], ofKinds(EVENT_KINDS.head)),
        itemStatement(data, 'registry', ['BatchGetItem'], ofKindsLike(`${EVENT_KINDS.packets}*`)),
        itemStatement(data, 'registry', ['GetItem', 'PutItem', 'UpdateItem'], ofKindsLike(...SUBSCRIPTIONS)),
        itemStatement(data, 'registry', ['GetItem'], ofKinds(BINDING_SECRET_KIND)),
        // What messages are made of, and what the jobs of automations need.
        itemStatement(data, 'jobs', ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem']),
        itemStatement(data, 'registry', ['GetItem', 'BatchGetItem', 'Query'], EXCEPT_PRIVATE),
        itemStatement(data, 'registry', ['PutItem', 'DeleteItem'], ofKindsLike(...WRITTEN_KINDS.reconciler)),
        tokenStateStatement(data),
        signalsStatement(data),
        queueStatement(data, ['SendMessage', 'GetQueueAttributes']),
        ...outputStatements(data, ['GetObject', 'PutObject']),
        // To continue when its time is up.
        wakeReadersStatement(data),
      ],
      memorySize: FUNCTION_MEMORY.trigger,
      timeout: Duration.minutes(5),
      deployment,
    });
    acknowledgeMail(read);
  }

  #sweepJobs({ data, deployment, codeOf }: ApiStackProps): void {
    const sweep = new ServiceFunction(this, 'SweepJobs', {
      description: 'removes jobs that ended longer ago than they are kept',
      code: codeOf('triggers.sweep-jobs'),
      environment: triggerEnvironment(data, deployment),
      statements: [
        itemStatement(data, 'jobs', ['GetItem', 'BatchGetItem', 'UpdateItem', 'DeleteItem']),
        indexStatement(data, ['by-status', 'by-time']),
        itemStatement(data, 'registry', ['Query', 'DeleteItem'], ofKindsLike(...WRITTEN_KINDS.sweeper)),
        ...outputStatements(data, ['DeleteObject']),
      ],
      memorySize: FUNCTION_MEMORY.trigger,
      timeout: Duration.minutes(15),
      deployment,
    });
    // The next hour's run is the retry.
    const target = new LambdaTarget(sweep.resource, { retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    new Rule(this, 'EveryHour', {
      schedule: Schedule.rate(Duration.hours(1)),
      targets: [target],
      enabled: deployment.retentionDays > 0,
    });
  }
}

const SUBSCRIPTIONS = [
  ...[SUBSCRIPTION_KINDS.own, SUBSCRIPTION_KINDS.health],
  ...[`${SUBSCRIPTION_KINDS.deliveries}*`, `${SUBSCRIPTION_KINDS.messages}*`],
];

/** What rows are made of, and why jobs wait. */
const EXPORTED_KINDS = ['labels#*', 'texts#*', 'message#*', 'thread#*', 'tree#*', 'probe', SCALING_KIND];

/** Longer than a call may take; a sixth of the queue's visibility timeout. */
const CALLS_TIMEOUT = Duration.seconds(30);

function streamOf(data: DataStack): string {
  const arn = data.tables.jobs.tableStreamArn;
  if (arn === undefined) throw new Error('the jobs table has no stream, from which jobs are counted');
  return arn;
}
