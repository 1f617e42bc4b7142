import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Deployment } from '../../platform/config/deployment.ts';
import { type MetricName, NAMESPACE } from '../../platform/operations/metrics.ts';

/** A metric of ours, for one deployment. */
export function ownMetric(
  { deploymentName }: Pick<Deployment, 'deploymentName'>,
  metricName: MetricName,
  { statistic, minutes }: { readonly statistic: string; readonly minutes: number },
): Metric {
  return new Metric({
    namespace: NAMESPACE,
    metricName,
    dimensionsMap: { service: deploymentName },
    statistic,
    period: Duration.minutes(minutes),
  });
}
