import { expect, it } from 'vitest';
import { holdCommands, noteBusyFolder, skipDeployment } from '../../../lib/deployments/commands-in-thread.ts';
import type { JobDeployment } from '../../../lib/jobs/deployments/job-deployment.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const [ID, NEXT] = ['job_00000000000000000000000001', 'job_00000000000000000000000002'];
const AT = '2026-11-20T09:00:00.000Z';

/** A success with deployments in these states; the first is of a command. */
async function withDeployments(...made: Pick<JobDeployment, 'state' | 'mode'>[]) {
  const deployment = quietDeployment();
  const job = await deployment.store({
    ...{ id: ID, status: 'SUCCEEDED', reason: 'exited', attempt: 1, bindings_pending: [1], finished_at: AT },
  });
  for (const [at, one] of made.entries())
    await deployment.deployments.replace(undefined, {
      ...{ job_id: ID, attempt: 1, binding: `local_project.${at}`, name: `${at}`, attempts: 0, ...one },
      ...{ created_at: AT, due_at: AT },
    });
  const read = async () => (await deployment.deployments.list(ID))[0] as JobDeployment;
  return { deployment, job, read };
}

it.each<[what: string, others: Pick<JobDeployment, 'state' | 'mode'>[], isHeld: boolean]>([
  ['there is nothing else', [], true],
  ['there are further commands', [{ mode: 'web_framework', state: 'pending' }], true],
  ['a call was made', [{ mode: 'generic', state: 'delivered' }], true],
  ['a call is pending', [{ mode: 'generic', state: 'pending' }], false],
])('commands wait without being looked at unless a call has to be: %s', async (_what, others, isHeld) => {
  const { deployment, job } = await withDeployments({ mode: 'custom', state: 'pending' }, ...others);
  await holdCommands(deployment, job);
  expect((await deployment.read(job))?.commands_held).toBe(isHeld ? true : undefined);
});

it('commands of a job that changed after it was read are not held: something may have come for them', async () => {
  const { deployment, job } = await withDeployments({ mode: 'custom', state: 'pending' });
  await deployment.jobs.apply(job, { ...job, messages: 1 });
  await holdCommands(deployment, job);
  expect((await deployment.read(job))?.commands_held).toBeUndefined();
});

it('a turn that is about to be recorded as waiting for a command that has run looks at its thread again', async () => {
  const { deployment, job } = await withDeployments({ mode: 'custom', state: 'pending' });
  const first = await deployment.jobs.apply(job, { ...job, thread_id: ID, turn: 1 });
  if (!first.applied) throw new Error('the first turn was not written');
  const next = await deployment.store({ id: NEXT, thread_id: ID, turn: 2, continues: ID });
  await deployment.threads.put(ID, { turn: 2, jobId: NEXT });
  await holdCommands(deployment, first.job);
  expect((await deployment.jobs.apply(next, { ...next, parked: 'waiting_for_thread' })).applied).toBe(false);
  expect((await deployment.read(job))?.commands_held).toBe(true);
});

it('that the folder is busy is noted once', async () => {
  const { deployment, read } = await withDeployments({ mode: 'custom', state: 'pending' });
  await noteBusyFolder(deployment, await read());
  const noted = await read();
  expect(noted).toMatchObject({ state: 'pending', pending_reason: 'folder_busy', version: 2 });
  await noteBusyFolder(deployment, noted);
  expect(await read()).toEqual(noted);
});

it('a skipped deployment says why and when, no longer what it waited for, unless another write was faster', async () => {
  const { deployment, read } = await withDeployments({ mode: 'custom', state: 'pending' });
  const stale = await read();
  await noteBusyFolder(deployment, stale);
  await skipDeployment(deployment, stale, 'late');
  const known = await read();
  expect(known.state).toBe('pending');
  await skipDeployment(deployment, known, 'The binding was deleted.');
  const { pending_reason: _waited, ...rest } = known;
  const skipped = { state: 'skipped', error: 'The binding was deleted.', finished_at: '2026-11-20T10:00:00.000Z' };
  expect(await read()).toEqual({ ...rest, ...skipped, version: 3, change_id: expect.any(String) });
});
