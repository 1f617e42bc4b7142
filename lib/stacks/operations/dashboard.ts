import {
  type Alarm,
  AlarmStatusWidget,
  Dashboard as CloudWatchDashboard,
  GraphWidget,
  type IMetric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { BANDS } from '../../platform/aws/tables.ts';
import type { MetricName } from '../../platform/operations/metrics.ts';
import type { OperationsProps } from './operations-props.ts';
import { ownMetric } from './own-metric.ts';

/** Half of CloudWatch's grid. */
const WIDTH = 12;

/** One page for operators: failures, job results, backlog, API responses. */
export class Dashboard extends Construct {
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
