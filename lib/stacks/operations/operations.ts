import { ArnFormat, Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  AlarmStatusWidget,
  Dashboard as CloudWatchDashboard,
  ComparisonOperator,
  GraphWidget,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { BANDS } from '../../platform/aws/tables.ts';
import type { Deployment } from '../../platform/config/deployment.ts';
import { ALARMS, type AlarmSpec, type PartMetric } from '../../platform/operations/alarms.ts';
import type { MetricName } from '../../platform/operations/metrics.ts';
import type { DataStack } from '../data/data-stack.ts';
import type { OperationsProps } from './operations-props.ts';
import { ownMetric } from './own-metric.ts';

/** Monitoring: alarms, by mail if an address is set, and an optional dashboard. */
export class Operations extends Construct {
  constructor(scope: Construct, id: string, props: OperationsProps) {
    super(scope, id);
    const { deployment } = props;
    const topic = deployment.alarmEmail === undefined ? undefined : this.#topic(deployment, deployment.alarmEmail);
    const alarms = ALARMS.map((spec) => {
      const alarm = new Alarm(this, spec.id, {
        alarmName: `${deployment.deploymentName}-${spec.id}`,
        alarmDescription: `${spec.means} What to do: docs/operate/runbook.md, "Alarm ${spec.id}".`,
        metric: metricOf(spec, props),
        comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
        threshold: spec.limit,
        evaluationPeriods: spec.times,
        treatMissingData: spec.silence === 'bad' ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
      });
      if (topic !== undefined) {
        alarm.addAlarmAction(new SnsAction(topic));
        alarm.addOkAction(new SnsAction(topic));
      }
      return alarm;
    });
    if (deployment.dashboard) new Dashboard(this, 'Dashboard', { ...props, alarms });
  }

  /**
   * Not encrypted by a key: CloudWatch can't use AWS's own key for topics, and a customer key costs more than all
   * alarms.
   */
  #topic(deployment: Deployment, address: string): Topic {
    const topic = new Topic(this, 'Topic', { enforceSSL: true, displayName: 'Promptq alarms' });
    topic.addSubscription(new EmailSubscription(address));
    topic.addToResourcePolicy(this.#alarmsMayPublish(deployment, topic));
    return topic;
  }

  /** `enforceSSL` makes a policy, which replaces the default one that admits the account's alarms. */
  #alarmsMayPublish({ deploymentName }: Deployment, topic: Topic): PolicyStatement {
    const stack = Stack.of(this);
    const alarms = stack.formatArn({
      service: 'cloudwatch',
      resource: 'alarm',
      resourceName: `${deploymentName}-*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    return new PolicyStatement({
      sid: 'Alarms',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': stack.account }, ArnLike: { 'aws:SourceArn': alarms } },
    });
  }
}

function metricOf({ metric, statistic, minutes }: AlarmSpec, props: OperationsProps): Metric {
  if (typeof metric === 'string') return ownMetric(props.deployment, metric, { statistic, minutes });
  return partMetric(metric, props).with({ statistic, period: Duration.minutes(minutes) });
}

function partMetric({ of, name }: PartMetric, { api, countJobs, reconcileJobs, data }: OperationsProps): Metric {
  switch (of) {
    case 'api':
      return api.metric(name);
    case 'count-jobs':
      return countJobs.metric(name);
    case 'reconcile-jobs':
      return reconcileJobs.metric(name);
    case 'dead letters of the deliveries':
      return deadLettersOf(data).metric(name);
    case 'all functions of the account':
      return new Metric({ namespace: 'AWS/Lambda', metricName: name });
  }
}

function deadLettersOf({ deliveries }: DataStack): IQueue {
  if (deliveries.deadLetterQueue === undefined) throw new Error('the deliveries have no dead letters to watch');
  return deliveries.deadLetterQueue.queue;
}

/** Half of CloudWatch's grid. */
const WIDTH = 12;

/** One page for operators: failures, job results, backlog, API responses. */
class Dashboard extends Construct {
  constructor(scope: Construct, id: string, props: OperationsProps & { readonly alarms: Alarm[] }) {
    super(scope, id);
    const { api, countJobs, reconcileJobs, data, deployment } = props;
    const own = (name: MetricName, statistic = 'Sum') => ownMetric(deployment, name, { statistic, minutes: 5 });
    const times = (name: MetricName) => ['p50', 'p95', 'Maximum'].map((statistic) => own(name, statistic));
    const graphs: [string, IMetric[]][] = [
      ['Jobs by outcome', [own('JobsSucceeded'), own('JobsFailed'), own('JobsCancelled')]],
      [
        'Waiting: oldest ready job (s), for an account',
        [own('OldestReadyJob', 'Maximum'), own('AccountRequiredJobs', 'Maximum')],
      ],
      ['From claimable to claimed (s)', times('QueueWait')],
      ['Run time of attempts (s)', times('RunTime')],
      [
        'Permits in the queues',
        BANDS.map((band) => data.queues[band].metricApproximateNumberOfMessagesVisible({ label: band })),
      ],
      [
        'What should not happen',
        [
          own('LeaseLosses'),
          own('LaunchFailures'),
          own('PermitsGivenUp'),
          own('PermitsDropped'),
          own('DamagedItems'),
          own('StorageThrottles'),
        ],
      ],
      ['Requests', [api.metricCount(), api.metricClientError(), api.metricServerError()]],
      ['Answers (ms)', ['p50', 'p95'].map((statistic) => api.metricLatency({ statistic }))],
      ['Counting: age of the stream (ms)', [countJobs.metric('IteratorAge', { statistic: 'Maximum' })]],
      [
        'reconcile-jobs: failures; run time (ms)',
        [reconcileJobs.metricErrors(), reconcileJobs.metricDuration({ statistic: 'Maximum' })],
      ],
    ];
    const dashboard = new CloudWatchDashboard(this, 'Resource', { dashboardName: deployment.deploymentName });
    dashboard.addWidgets(new AlarmStatusWidget({ alarms: props.alarms, title: 'Alarms', width: 2 * WIDTH, height: 3 }));
    for (const [title, left] of graphs) dashboard.addWidgets(new GraphWidget({ title, left, width: WIDTH }));
  }
}
