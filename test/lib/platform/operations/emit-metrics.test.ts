import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { METRICS, NAMESPACE } from '../../../../lib/platform/operations/metrics.ts';
import { metricsIn, printedBy } from '../../../local-run/captured-lines.ts';

beforeAll(() => vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'second'));
afterAll(() => vi.unstubAllEnvs());

const told = async (values: object) => {
  const { emitMetrics: tell } = await import('../../../../lib/platform/operations/emit-metrics.ts');
  return (await printedBy(async () => tell(values))).lines;
};

it('is one line in the Embedded Metric Format, with the deployment as dimension', async () => {
  const before = Date.now();
  const lines = await told({ LaunchFailures: 2, QueueWait: [0.5, 3] });
  expect(lines).toEqual([
    {
      _aws: {
        Timestamp: expect.any(Number),
        CloudWatchMetrics: [
          {
            Namespace: NAMESPACE,
            Dimensions: [['service']],
            Metrics: [
              { Name: 'LaunchFailures', Unit: 'Count' },
              { Name: 'QueueWait', Unit: 'Seconds' },
            ],
          },
        ],
      },
      service: 'second',
      LaunchFailures: 2,
      QueueWait: [0.5, 3],
    },
  ]);
  const { _aws } = lines[0] as { _aws: { Timestamp: number } };
  expect(_aws.Timestamp).toBeGreaterThanOrEqual(before);
});

it('is empty if there is nothing to count, but contains a wait of zero', async () => {
  expect(await told({ JobsFailed: 0, QueueWait: [], LeaseLosses: 0 })).toEqual([]);
  expect(await told({})).toEqual([]);
  expect(metricsIn(await told({ JobsFailed: 0, QueueWait: [0] }))).toEqual({ QueueWait: [0] });
});

it('keeps every value of a large batch: a line of this format holds a hundred', async () => {
  const waits = Array.from({ length: 250 }, (_, index) => index);
  const lines = await told({ QueueWait: waits, JobsSucceeded: 250 });
  expect(lines).toHaveLength(3);
  expect(metricsIn(lines)).toEqual({ QueueWait: waits, JobsSucceeded: [250] });
});

it('knows metrics whose names are no other member of the line', () => {
  expect(Object.keys(METRICS).filter((name) => !/^[A-Z][A-Za-z]+$/.test(name))).toEqual([]);
});
