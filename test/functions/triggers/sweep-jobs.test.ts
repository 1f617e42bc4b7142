import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { printedBy } from '../../local-run/captured-lines.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
  for (const [name, value] of Object.entries(deployment.variables)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await deployment.stop();
});
const sweepWith = async (days: string) => {
  vi.stubEnv('PROMPTQ_RETENTION_DAYS', days);
  // The function reads its environment once.
  vi.resetModules();
  const { handler } = await import('../../../functions/triggers/sweep-jobs.ts');
  const sweep = async () => await printedBy(async () => await handler({}));
  const [first, second] = [await sweep(), await sweep()];
  const messages = [...first.lines, ...second.lines].map(({ message, removed, days: of }) => [message, removed, of]);
  return { removed: [first.result.removed, second.result.removed], messages };
};

it('jobs that ended before the retention period are deleted, and none without such a period', async () => {
  const ended = async (days: number) => {
    const at = timestamp(deployment.clock.now() - days * 86_400_000);
    const job = {
      status: 'SUCCEEDED',
      reason: 'exited',
      created_at: timestamp(deployment.clock.now() - 20 * 86_400_000),
      finished_at: at,
    } as const;
    return (await deployment.store({ id: jobIdOfKey(String(days)), ...job })).id;
  };
  const [old, recent] = [await ended(3), await ended(1)];
  const left = async () =>
    (await Promise.all([old, recent].map((id) => deployment.jobs.get(id, { consistent: true })))).map((job) => job?.id);
  expect(await sweepWith('0')).toEqual({ removed: [0, 0], messages: [] });
  expect(await left()).toEqual([old, recent]);
  const sentence = 'deleted jobs after the retention period';
  expect(await sweepWith('2')).toEqual({ removed: [1, 0], messages: [[sentence, 1, 2]] });
  expect(await left()).toEqual([undefined, recent]);
});
