import { beforeEach, expect, it } from 'vitest';
import { folderName } from '../../../lib/jobs/admission/folder-slots.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { CancelledBeforeStartError } from '../../../worker-container/commands/not-started-error.ts';
import { copied, sourceToCopy } from '../../../worker-container/forks/fork-source.ts';
import { aJob, aRunningJob } from '../../lib/jobs/a-job.ts';
import { due } from '../../lib/jobs/due-effects.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const [SOURCE, NEXT, FORK] = ['1', '2', '3'].map((last) => `job_0000000000000000000000000${last}`) as [
  string,
  string,
  string,
];
const AT = '2026-11-20T10:00:00.000Z';
const ENDED = { status: 'SUCCEEDED', reason: 'exited', attempt: 1, finished_at: AT } as const;

let deployment: QuietDeployment;
beforeEach(() => {
  deployment = quietDeployment();
});

/** A thread of one success, and a fork of it that runs. */
async function forked({ source = {}, fork = {} }: { source?: Partial<Job>; fork?: Partial<Job> } = {}): Promise<Job> {
  await deployment.store(aJob({ id: SOURCE, thread_id: SOURCE, turn: 1, ...ENDED, ...source }));
  return await deployment.store(aRunningJob({ id: FORK, forked_from: SOURCE, forked_attempt: 1, ...fork }));
}

/** The next turn of the thread. */
async function next(more: Partial<Job>): Promise<void> {
  await deployment.store(aJob({ id: NEXT, thread_id: SOURCE, turn: 2, continues: SOURCE, ...more }));
  await deployment.threads.put(SOURCE, { turn: 2, jobId: NEXT });
}

const waiting = { parked: 'waiting_for_thread', reason: 'waiting_for_thread', waits_for: FORK } as const;

it('a fork copies its source, whose thread waits for the copy', async () => {
  const fork = await forked();
  expect(await sourceToCopy(deployment, fork)).toMatchObject({ id: SOURCE });
  expect(await deployment.threads.forks(SOURCE)).toEqual([FORK]);
});

it('a fork that has its copy makes no other, and lets the thread continue', async () => {
  const fork = await forked({ fork: { copied_by: 1 } });
  await deployment.threads.putFork(SOURCE, FORK);
  await next(waiting);
  expect(await sourceToCopy(deployment, fork)).toBeUndefined();
  expect(await deployment.threads.forks(SOURCE)).toEqual([]);
  expect(await deployment.read({ id: NEXT })).not.toHaveProperty('parked');
});

it.each<[string, string, Partial<Job>, Partial<Job>]>([
  ['is being removed', 'was removed because of its age', { removing: true }, {}],
  ['runs', 'has run again since: fork it again', { status: 'RUNNING', reason: 'running', attempt: 1 }, {}],
  ['has run again', 'has run again since: fork it again', { attempt: 2 }, {}],
  ['never existed', 'was removed because of its age', {}, { forked_from: 'job_00000000000000000000000009' }],
])('a source that %s is not copied', async (_, why, source, fork) => {
  const job = await forked({ source, fork });
  await expect(sourceToCopy(deployment, job)).rejects.toThrow(`job ${job.forked_from}, which this one forks, ${why}`);
});

it('a source whose thread has continued is not copied', async () => {
  const job = await forked();
  await next({ status: 'RUNNING', reason: 'running', attempt: 1 });
  await expect(sourceToCopy(deployment, job)).rejects.toThrow(`has a later turn that has begun (${NEXT})`);
});

it('a source in whose folder a command works is not copied', async () => {
  const job = await forked({ source: { effects: due({ commands: [1] }) } });
  const cause = { kind: 'system', name: 'deploy', job: SOURCE, attempt: 1, key: 'b' } as const;
  const { id } = await deployment.store(aRunningJob({ id: NEXT, cause }));
  const running = { job_id: SOURCE, attempt: 1, binding: 'b', name: 'b', mode: 'custom', state: 'running' } as const;
  await deployment.deployments.replace(undefined, {
    ...{ ...running, attempts: 1, created_at: AT, due_at: AT },
    ...{ runs: 1, runs_as: id },
  });
  await expect(sourceToCopy(deployment, job)).rejects.toThrow('has a binding whose command works in its folder');
});

it('the copy lets the thread continue, and others into the folder', async () => {
  const other = aJob({ id: 'job_00000000000000000000000004', cwd: 'shared' });
  const folder = folderName(deployment.folders, other) ?? '';
  const fork = await forked({ fork: { folder } });
  await deployment.threads.putFork(SOURCE, FORK);
  await next(waiting);
  await deployment.store({ ...other, folder, parked: 'folder_busy', reason: 'folder_busy' });
  await copied(deployment, fork);
  expect(await deployment.read(fork)).toMatchObject({ copied_by: 1 });
  for (const id of [NEXT, other.id]) expect(await deployment.read({ id })).not.toHaveProperty('parked');
  expect(await deployment.threads.forks(SOURCE)).toEqual([]);
});

it('an attempt that another one has replaced ends: the other makes its own copy', async () => {
  const fork = await forked();
  await deployment.jobs.apply(fork, { ...fork, attempt: 2 });
  await expect(copied(deployment, fork)).rejects.toThrow(CancelledBeforeStartError);
  expect(await deployment.read(fork)).not.toHaveProperty('copied_by');
});
