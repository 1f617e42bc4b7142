import { expect, it, vi } from 'vitest';
import { viewJob } from '../../../lib/jobs/views/job-view.ts';
import { runDueEffects } from '../../../lib/reconciler/after-attempt.ts';
import { printedBy } from '../../local-run/captured-lines.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { due } from '../jobs/due-effects.ts';

const id = (last: number) => `job_0000000000000000000000000${last}`;

it('an effect that fails is tried again after a pause, is shown, and keeps no other one waiting', async () => {
  const deployment = quietDeployment();
  const since = '2026-11-20T10:00:00.000Z';
  const effects = [...due({ messages: 'end' }), { name: 'thread', since } as const];
  const thread = { thread_id: id(1), turn: 1, messages: 1 };
  const job = await deployment.store({ id: id(1), status: 'FAILED', reason: 'exited', ...thread, effects });
  const { messages } = deployment.texts;
  const list = vi.spyOn(messages, 'list').mockRejectedValue(new Error('unreadable'));
  const round = async () => await printedBy(async () => await runDueEffects(deployment));
  await round();
  const failed = await deployment.read(job);
  expect(failed?.effects).toMatchObject([{ name: 'messages', tries: 1, failures: 1 }]);
  const shown = viewJob(failed ?? job, { prompt: '', project: '' }, 'seconds', { deployments: [] }).warnings;
  expect(shown).toEqual([expect.stringMatching(/^messages: failed once after the job's end; next try at 2026-/)]);
  await round();
  expect(list).toHaveBeenCalledTimes(1);
  list.mockResolvedValue([]);
  await deployment.pass(60_000);
  await round();
  expect(await deployment.read(job)).not.toHaveProperty('effects');
});
