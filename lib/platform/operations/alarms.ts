import type { MetricName } from './metrics.ts';

/** A free metric of AWS about a part of the deployment. */
export type PartMetric =
  | { readonly of: 'api'; readonly name: '5XXError' }
  | { readonly of: 'count-jobs'; readonly name: 'IteratorAge' }
  | { readonly of: 'reconcile-jobs'; readonly name: 'Errors' }
  | { readonly of: 'dead letters of the deliveries'; readonly name: 'ApproximateNumberOfMessagesVisible' }
  /** All functions share one limit. */
  | { readonly of: 'all functions of the account'; readonly name: 'Throttles' };

/** An alarm. It goes off at `limit` or more in `times` consecutive periods of `minutes`. */
export interface AlarmSpec {
  /** Suffix of its name, and the heading of its section in docs/operate/runbook.md. */
  readonly id: string;
  /** The problem, in a sentence. */
  readonly means: string;
  /** A metric of ours, or of AWS. */
  readonly metric: MetricName | PartMetric;
  readonly statistic: 'Sum' | 'Maximum' | 'Average';
  readonly limit: number;
  readonly minutes: number;
  readonly times: number;
  /** Whether missing data counts as a failure; by default it counts as good, since only faults are reported. */
  readonly silence?: 'bad';
}

/** Every alarm, each with instructions in docs/operate/runbook.md: an alarm without them is noise. */
export const ALARMS: readonly AlarmSpec[] = [
  {
    id: 'oldest-ready-job',
    means: 'A job that a worker could run has waited for half an hour.',
    metric: 'OldestReadyJob',
    statistic: 'Maximum',
    limit: 30 * 60,
    minutes: 1,
    times: 5,
  },
  {
    id: 'watch-silent',
    means:
      'reconcile-jobs has failed, or not run, for five minutes: lost workers, forgotten jobs and half of the other alarms depend on it.',
    metric: { of: 'reconcile-jobs', name: 'Errors' },
    statistic: 'Average',
    limit: 1,
    minutes: 1,
    times: 5,
    silence: 'bad',
  },
  {
    id: 'launch-failures',
    means: 'Workers could not be started, three times within a quarter of an hour.',
    metric: 'LaunchFailures',
    statistic: 'Sum',
    limit: 3,
    minutes: 15,
    times: 1,
  },
  {
    id: 'lease-losses',
    means: 'Three running jobs lost their workers within a quarter of an hour.',
    metric: 'LeaseLosses',
    statistic: 'Sum',
    limit: 3,
    minutes: 15,
    times: 1,
  },
  {
    id: 'account-not-linked',
    means: 'Jobs have waited for ten minutes because no vendor account is linked.',
    metric: 'AccountRequiredJobs',
    statistic: 'Maximum',
    limit: 1,
    minutes: 5,
    times: 2,
  },
  {
    id: 'server-errors',
    means: 'The API answered five requests with a status of 500 or above within five minutes.',
    metric: { of: 'api', name: '5XXError' },
    statistic: 'Sum',
    limit: 5,
    minutes: 5,
    times: 1,
  },
  {
    id: 'functions-throttled',
    means: 'Lambda refused to run functions for ten minutes: the account has reached its limit.',
    metric: { of: 'all functions of the account', name: 'Throttles' },
    statistic: 'Sum',
    limit: 1,
    minutes: 5,
    times: 2,
  },
  {
    id: 'storage-throttled',
    means: 'DynamoDB, S3 or SQS refused a hundred requests within five minutes as too many.',
    metric: 'StorageThrottles',
    statistic: 'Sum',
    limit: 100,
    minutes: 5,
    times: 1,
  },
  {
    id: 'stream-age',
    means: 'The counting of jobs is more than five minutes behind.',
    metric: { of: 'count-jobs', name: 'IteratorAge' },
    statistic: 'Maximum',
    limit: 5 * 60 * 1000,
    minutes: 1,
    times: 3,
  },
  {
    id: 'permits-given-up',
    means:
      'A queue gave up dispatch messages. They were sent again, so no job is lost; but something receives them and does not use them.',
    metric: 'PermitsGivenUp',
    statistic: 'Sum',
    limit: 1,
    minutes: 5,
    times: 1,
  },
  {
    id: 'damaged-items',
    means: "An item of the tables, or a receipt, can't be read: it is skipped, and jobs that depend on it wait.",
    metric: 'DamagedItems',
    statistic: 'Sum',
    limit: 1,
    minutes: 5,
    times: 1,
  },
  {
    id: 'calls-given-up',
    means: 'Signed calls of deploy bindings have failed for good and wait for a decision.',
    metric: { of: 'dead letters of the deliveries', name: 'ApproximateNumberOfMessagesVisible' },
    statistic: 'Maximum',
    limit: 1,
    minutes: 5,
    times: 1,
  },
];

/** Dollars a month for an alarm on one metric (us-east-1, 2026-11); the first ten of an account are free. */
export const ALARM_PRICE = 0.1;
