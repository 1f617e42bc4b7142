import { expect, it } from 'vitest';
import { enterThread } from '../../../lib/jobs/admission/enter-thread.ts';
import { acquireFolder, folderName, waitForFolder } from '../../../lib/jobs/admission/folder-slots.ts';
import type { JobDeployment } from '../../../lib/jobs/deployments/job-deployment.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { beginCommands } from '../../../worker-container/deployments/begin-commands.ts';
import { aJob } from '../../lib/jobs/a-job.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const [FIRST, SECOND] = ['job_00000000000000000000000001', 'job_00000000000000000000000002'];
const AT = '2026-11-20T10:00:00.000Z';

/** A success whose commands are about to begin; then something happens just after they were marked as running. */
async function beginning(differences: Partial<Job>) {
  const deployment = quietDeployment();
  const ended = { status: 'SUCCEEDED', reason: 'exited', attempt: 1, finished_at: AT } as const;
  const job = await deployment.store(aJob({ id: FIRST, ...ended, bindings_pending: [1], ...differences }));
  const pending = { job_id: FIRST, attempt: 1, binding: 'b', name: 'b', mode: 'custom', state: 'pending' } as const;
  const made = { ...pending, attempts: 0, created_at: AT, due_at: AT };
  const known = (await deployment.deployments.replace(undefined, made)) as JobDeployment;
  const begin = async (meanwhile: () => Promise<unknown>) => {
    const replace = deployment.deployments.replace.bind(deployment.deployments);
    deployment.deployments.replace = async (...marking) => {
      const replaced = await replace(...marking);
      deployment.deployments.replace = replace;
      await meanwhile();
      return replaced;
    };
    return await beginCommands(deployment, job, known, { worker_id: 'worker-1', started_at: AT });
  };
  return { deployment, job, known, begin, second: async () => await deployment.read({ id: SECOND }) };
}

it('a turn that found commands running, which then do not begin, waits for them no longer', async () => {
  const { deployment, begin, second } = await beginning({ thread_id: FIRST, turn: 1 });
  const stopped = { parked: 'thread_stopped', reason: 'thread_stopped' } as const;
  const turn = await deployment.store(aJob({ id: SECOND, thread_id: FIRST, turn: 2, continues: FIRST, ...stopped }));
  await deployment.threads.put(FIRST, { turn: 2, jobId: SECOND });
  const meanwhile = async () => {
    const released = await transition(deployment, turn, { type: 'submit' });
    if (!released.done) throw new Error(released.rejected);
    await enterThread(deployment, released.job);
    expect(await second()).toMatchObject({ parked: 'waiting_for_thread', waits_for: FIRST });
  };
  expect(await begin(meanwhile)).toBeUndefined();
  expect(await second()).not.toHaveProperty('parked');
});

it('a job that found commands running in its folder, which then do not begin, waits for it no longer', async () => {
  const { deployment, job, begin, second } = await beginning({ follow_ups: ['1.0'] });
  const folder = folderName(deployment.folders, job) ?? '';
  const child = await deployment.store(aJob({ id: SECOND, cwd: FIRST, folder_of: FIRST, parent_id: FIRST }));
  const meanwhile = async () => {
    expect(await acquireFolder(deployment, child, folder)).toBe(false);
    await waitForFolder(deployment, child, folder);
    expect(await second()).toMatchObject({ parked: 'folder_busy' });
    await transition(deployment, job, { type: 'retry' });
  };
  expect(await begin(meanwhile)).toBeUndefined();
  expect(await second()).not.toHaveProperty('parked');
});

it('a worker changes nothing of a job whose commands another worker has begun', async () => {
  const { deployment, job, known, begin } = await beginning({});
  await deployment.deployments.replace(known, { ...known, state: 'running', attempts: 1 });
  expect(await begin(async () => undefined)).toBeUndefined();
  expect(await deployment.read(job)).toEqual(job);
});
