import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { NAMESPACE } from '../../../../lib/platform/operations/metrics.ts';
import { printedBy } from '../../../local-run/captured-lines.ts';

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
