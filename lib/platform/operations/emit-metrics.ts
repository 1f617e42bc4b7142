import { Metrics } from '@aws-lambda-powertools/metrics';
import { METRICS, type MetricName, type MetricValues, NAMESPACE } from './metrics.ts';

let metrics: Metrics | undefined;

/**
 * Tells CloudWatch values of metrics: a line of JSON on stdout in its Embedded Metric Format, which it reads out of the
 * log of functions and workers alike. No call is made, and no right is needed. The deployment is named by the variable
 * POWERTOOLS_SERVICE_NAME.
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
