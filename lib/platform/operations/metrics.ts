/** The CloudWatch namespace of all metrics; the dimension `service` names the deployment. */
export const NAMESPACE = 'Promptq';

interface MetricSpec {
  /** One of CloudWatch's own units. */
  readonly unit: 'Count' | 'Seconds';
  readonly means: string;
}

/**
 * Every metric that the service emits. CloudWatch bills a metric for the hours with data, so zero counts are never
 * emitted, and an idle deployment has none.
 */
export const METRICS = {
  JobsSucceeded: { unit: 'Count', means: 'jobs that ended SUCCEEDED' },
  JobsFailed: { unit: 'Count', means: 'jobs that ended FAILED' },
  JobsCancelled: { unit: 'Count', means: 'jobs that ended CANCELLED' },
  QueueWait: { unit: 'Seconds', means: 'from when a job could be claimed to its claim' },
  RunTime: { unit: 'Seconds', means: 'from the start of an attempt to its end' },
  OldestReadyJob: { unit: 'Seconds', means: 'longest time that a claimable job has waited' },
  AccountRequiredJobs: { unit: 'Count', means: 'jobs that wait because no vendor account is linked' },
  LeaseLosses: { unit: 'Count', means: 'running jobs whose worker was lost' },
  PermitsDropped: { unit: 'Count', means: 'dispatch messages dropped because they found no job' },
  PermitsGivenUp: { unit: 'Count', means: 'dispatch messages that a queue gave up and reconcile-jobs sent again' },
  LaunchFailures: { unit: 'Count', means: 'workers that could not be started' },
  DamagedItems: { unit: 'Count', means: 'items that were skipped because they could not be read or acted on' },
  StorageThrottles: { unit: 'Count', means: 'requests that DynamoDB, S3 or SQS refused as too many' },
} as const satisfies Record<string, MetricSpec>;

export type MetricName = keyof typeof METRICS;

/** The values of one emission; several values of one metric keep their distribution. */
export type MetricValues = Readonly<Partial<Record<MetricName, number | readonly number[]>>>;
