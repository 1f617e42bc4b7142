import { expect, it, vi } from 'vitest';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import { NewerSchemaError } from '../../../lib/jobs/lifecycle/newer-schema.ts';
import { viewJob } from '../../../lib/jobs/views/job-view.ts';
import { afterAttempt, runDueEffects } from '../../../lib/reconciler/after-attempt.ts';
import { printedBy } from '../../local-run/captured-lines.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aReceipt, aRunningJob } from '../jobs/a-job.ts';
import { due } from '../jobs/due-effects.ts';

const id = (last: number) => `job_0000000000000000000000000${last}`;

it('missing follow-ups whose attempt cannot be read are reported, unless a later version has to read it', async () => {
  const deployment = quietDeployment();
  const faults = new Map<string, Error>([
    [id(1), new NewerSchemaError('receipt.json')],
    [id(2), new Error('unreadable')],
  ]);
  for (const job of faults.keys())
    await deployment.store({ id: job, status: 'SUCCEEDED', effects: due({ follow_ups: [1] }) });
  const read: string[] = [];
  const readReceipt = async (job: string) => {
    read.push(job);
    throw faults.get(job) ?? new Error(`no job ${job}`);
  };
  const { lines } = await printedBy(async () => await runDueEffects({ ...deployment, readReceipt }, { slow: true }));
  expect(read).toEqual([id(1), id(2)]);
  expect(lines.flatMap(({ item }) => item ?? [])).toEqual([`job ${id(2)}`]);
});

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

it.each([
  [{}, ['folder_busy', 'profile_busy']],
  [{ folder: 'folder-a' }, ['waiting_for_worker', 'profile_busy']],
  [{ place: 'profile#practice#0' }, ['folder_busy', 'waiting_for_worker']],
])('the end of an attempt that held %o frees that for the next job', async (held, reasons) => {
  const deployment = quietDeployment();
  const running = await deployment.store(aRunningJob({ id: id(1), ...held }));
  const waiting = [
    await deployment.store({ id: id(2), reason: 'folder_busy', parked: 'folder_busy', folder: 'folder-a' }),
    await deployment.store({ id: id(3), reason: 'profile_busy', parked: 'profile_busy' }),
  ];
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: running.id });
  const ended = await transition(deployment, running, { type: 'end', receipt });
  await afterAttempt(deployment, running, ended.job ?? running);
  const after = await Promise.all(waiting.map((job) => deployment.read(job)));
  expect(after.map((job) => job?.reason)).toEqual(reasons);
});
