import { Metrics } from '@aws-lambda-powertools/metrics';
import { METRICS, type MetricName, type MetricValues, NAMESPACE } from './metrics.ts';

let metrics: Metrics | undefined;

/**
 * Emits metric values to CloudWatch: a line of JSON on stdout in its Embedded Metric Format, which CloudWatch extracts
 * from the logs of functions and workers. This needs no request and no permission. The variable POWERTOOLS_SERVICE_NAME
 * names the deployment.
 */
export function emitMetrics(values: MetricValues): void {
  metrics ??= new Metrics({ namespace: NAMESPACE });
  for (const name of Object.keys(values) as MetricName[]) {
    const { unit } = METRICS[name];
    for (const value of [values[name] ?? []].flat()) {
      if (unit !== 'Count' || value > 0) metrics.addMetric(name, unit, value);
    }
  }
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
}
