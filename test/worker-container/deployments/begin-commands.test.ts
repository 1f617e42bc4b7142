import { describe, expect, it } from 'vitest';
import { FOLDER_HAS_CHANGED, holdCommands } from '../../../lib/deployments/commands-in-thread.ts';
import { reconcileDeployments } from '../../../lib/deployments/reconcile-deployments.ts';
import { finishDeployments } from '../../../lib/deployments/start-deployments.ts';
import { enterThread } from '../../../lib/jobs/admission/enter-thread.ts';
import { acquireFolder, folderName } from '../../../lib/jobs/admission/folder-slots.ts';
import { retryTurn } from '../../../lib/jobs/admission/retry-turn.ts';
import type { JobDeployment } from '../../../lib/jobs/deployments/job-deployment.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import { indexKeys } from '../../../lib/jobs/indexes/index-keys.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { continueThread, holdSource } from '../../../lib/jobs/threads/settle-thread.ts';
import { beginCommands } from '../../../worker-container/deployments/begin-commands.ts';
import { aJob, aRunningJob } from '../../lib/jobs/a-job.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const [FIRST, SECOND] = ['job_00000000000000000000000001', 'job_00000000000000000000000002'];
const ended: Partial<Job> = {
  status: 'SUCCEEDED',
  reason: 'exited',
  attempt: 1,
  bindings_pending: [1],
  finished_at: '2026-11-20T10:00:00.000Z',
};
const begun = { worker_id: 'worker-1', started_at: '2026-11-20T10:00:10.000Z' };
const pending: Omit<JobDeployment, 'version' | 'change_id'> = {
  job_id: FIRST,
  attempt: 1,
  binding: 'local_project.custom',
  name: 'custom',
  mode: 'custom',
  state: 'pending',
  attempts: 0,
  created_at: '2026-11-20T10:00:00.000Z',
  due_at: '2026-11-20T10:00:00.000Z',
};

/** A turn that waits for a person. */
const STOPPED = { parked: 'thread_stopped', reason: 'thread_stopped' } as const;

const binding = {
  ...{ id: pending.binding, name: pending.name, project_id: 'local_project', project: 'local_project' },
  ...{ binding_mode: 'custom' as const, command: 'true', secrets: [] },
  ...{ created_at: pending.created_at, updated_at: pending.created_at },
};

/** A success whose command has not begun, and the turn after it, if there is one. */
async function thread(next?: Partial<Job>, differences: Partial<Job> = {}) {
  const deployment = quietDeployment();
  const isThread = next !== undefined && { thread_id: FIRST, turn: 1 };
  const job = await deployment.store(aJob({ id: FIRST, ...isThread, ...ended, ...differences }));
  const known = (await deployment.deployments.replace(undefined, pending)) as JobDeployment;
  await deployment.bindings.replace(undefined, binding);
  if (next !== undefined) {
    await deployment.store(aJob({ id: SECOND, thread_id: FIRST, turn: 2, continues: FIRST, ...next }));
    await deployment.threads.put(FIRST, { turn: 2, jobId: SECOND });
  }
  const read = async (id: string) => (await deployment.jobs.find(id)) as Job;
  const command = async () => (await deployment.deployments.list(FIRST))[0] as JobDeployment;
  return { deployment, job, known, read, command };
}

/** Lets something happen just after the command was marked as running. */
function onceRunning(deployment: QuietDeployment, happen: () => Promise<unknown>): void {
  const replace = deployment.deployments.replace.bind(deployment.deployments);
  deployment.deployments.replace = async (known, next) => {
    const replaced = await replace(known, next);
    deployment.deployments.replace = replace;
    await happen();
    return replaced;
  };
}

const deployMessages = ({ calls }: QuietDeployment) =>
  calls.filter((call) => JSON.stringify(call).includes(String.raw`\"deploy\":true`)).length;

describe('the commands of a success', () => {
  it('act at once without a thread, and while its next turn waits for a person', async () => {
    for (const next of [undefined, { parked: 'thread_stopped', reason: 'thread_stopped' } as const]) {
      const { deployment, job, known } = await thread(next);
      expect(await beginCommands(deployment, job, known, begun)).toMatchObject({ state: 'running', attempts: 1 });
    }
  });

  it('wait for the next turn, at no cost, until it is cancelled', async () => {
    const { deployment, job, known, read, command } = await thread({});
    expect(await beginCommands(deployment, job, known, begun)).toBe('later');
    await holdCommands(deployment, job);
    const held = await read(FIRST);
    expect([held.commands_held, indexKeys(held).ready_key]).toEqual([true, undefined]);
    const cancelled = await transition(deployment, await read(SECOND), { type: 'cancel' });
    if (!cancelled.done) throw new Error(cancelled.rejected);
    await continueThread(deployment, cancelled.job);
    expect(await read(FIRST)).not.toHaveProperty('commands_held');
    expect(indexKeys(await read(FIRST)).ready_key).toBe('pending#bindings');
    expect(deployMessages(deployment)).toBe(1);
    expect(await beginCommands(deployment, await read(FIRST), await command(), begun)).toMatchObject({ attempts: 1 });
  });

  it('are not held if the thread became idle while that was decided', async () => {
    const { deployment, job, read } = await thread({});
    const cancelled = await transition(deployment, await read(SECOND), { type: 'cancel' });
    if (!cancelled.done) throw new Error(cancelled.rejected);
    await continueThread(deployment, cancelled.job);
    await holdCommands(deployment, job);
    expect(await read(FIRST)).not.toHaveProperty('commands_held');
  });

  it('are not held while a call is pending, which reconcile-jobs watches', async () => {
    const { deployment, job, read } = await thread({});
    await deployment.deployments.replace(undefined, { ...pending, binding: 'call', mode: 'generic' });
    await holdCommands(deployment, job);
    expect(await read(FIRST)).not.toHaveProperty('commands_held');
  });

  it.each<Partial<Job>>([
    { status: 'RUNNING', attempt: 1 },
    { ...ended, status: 'FAILED' },
  ])('are skipped once a later turn has begun: $status', async (next) => {
    const { deployment, job, known, command } = await thread(next);
    expect(await beginCommands(deployment, job, known, begun)).toBeUndefined();
    expect(await command()).toMatchObject({ state: 'skipped', error: FOLDER_HAS_CHANGED, attempts: 0 });
  });

  it('wait for a copy of the folder', async () => {
    const { deployment, job, known } = await thread({ parked: 'thread_stopped', reason: 'thread_stopped' });
    await deployment.store(aJob({ id: 'job_fork', forked_from: FIRST, forked_attempt: 1 }));
    await deployment.threads.putFork(FIRST, 'job_fork');
    expect(await beginCommands(deployment, job, known, begun)).toBe('later');
  });

  it('wait for a job in the same folder, and keep others out once they run', async () => {
    const { deployment, job, known, read } = await thread(undefined, { follow_ups: ['1.0'] });
    const shared = { cwd: FIRST, folder_of: FIRST, parent_id: FIRST };
    const folder = folderName(deployment.folders, job) ?? '';
    const child = await deployment.store(aRunningJob({ id: SECOND, folder, ...shared }));
    await deployment.slots.replace(folder, undefined, { job_id: SECOND, job_version: 1, taken_at: begun.started_at });
    expect(await beginCommands(deployment, job, known, begun)).toBe('busy');
    await deployment.jobs.apply(child, { ...child, status: 'SUCCEEDED', reason: 'exited' });
    expect(await beginCommands(deployment, await read(FIRST), known, begun)).toMatchObject({ state: 'running' });
    const next = await deployment.store(aJob({ id: 'job_next', ...shared }));
    expect(await acquireFolder(deployment, next, folder)).toBe(false);
  });

  it('that find a job in their folder keep no turn of their thread from starting', async () => {
    const { deployment, job, known, read } = await thread(STOPPED, { follow_ups: ['1.0'] });
    const folder = folderName(deployment.folders, job) ?? '';
    await deployment.store(aRunningJob({ id: 'job_child', folder, cwd: FIRST, folder_of: FIRST, parent_id: FIRST }));
    const { slots } = deployment;
    const replace = slots.replace.bind(slots);
    await slots.replace(folder, undefined, { job_id: 'job_child', job_version: 1, taken_at: begun.started_at });
    slots.replace = async (...taken) => {
      slots.replace = replace;
      const isTaken = await replace(...taken);
      const released = await transition(deployment, await read(SECOND), { type: 'submit' });
      if (!released.done) throw new Error(released.rejected);
      expect(await enterThread(deployment, released.job)).toMatchObject({ mayEnter: false });
      deployment.sent.length = 0;
      return isTaken;
    };
    expect(await beginCommands(deployment, job, known, begun)).toBe('busy');
    expect(await enterThread(deployment, await read(SECOND))).toMatchObject({ mayEnter: true });
    // Its own message may have found the thread taken for the last time.
    expect(deployment.sent).toEqual([{ job: SECOND, band: 'normal', seconds: 0 }]);
  });

  it('that do not begin because a turn was released keep it from nothing', async () => {
    const { deployment, job, known, read } = await thread(STOPPED);
    onceRunning(deployment, async () => await transition(deployment, await read(SECOND), { type: 'submit' }));
    expect(await beginCommands(deployment, job, known, begun)).toBeUndefined();
    expect(await enterThread(deployment, await read(SECOND))).toMatchObject({ mayEnter: true });
  });

  it('do not begin while a turn is about to', async () => {
    const { deployment, job, known, read, command } = await thread({
      parked: 'thread_stopped',
      reason: 'thread_stopped',
    });
    const released = await transition(deployment, await read(SECOND), { type: 'submit' });
    if (!released.done) throw new Error(released.rejected);
    expect(await enterThread(deployment, released.job)).toMatchObject({ mayEnter: true });
    expect(await beginCommands(deployment, job, known, begun)).toBe('later');
    deployment.threads.turns = async () => [{ turn: 1, jobId: FIRST }];
    expect(await beginCommands(deployment, job, known, begun)).toBe('busy');
    expect(await command()).toEqual(known);
  });

  it('do not begin if a fork, a retry or the first further turn comes in between', async () => {
    const begin = { type: 'begin_thread' } as const;
    const retry = { type: 'retry' } as const;
    for (const event of [begin, retry]) {
      const { deployment, job, known, command } = await thread();
      onceRunning(deployment, () => transition(deployment, job, event));
      expect(await beginCommands(deployment, job, known, begun)).toBeUndefined();
      expect(await command()).toMatchObject({ state: 'pending', attempts: 0 });
    }
    const { deployment, job, known, command } = await thread({ parked: 'thread_stopped', reason: 'thread_stopped' });
    const fork = await deployment.store(aJob({ id: 'job_fork', forked_from: FIRST, forked_attempt: 1 }));
    onceRunning(deployment, () => holdSource(deployment, fork));
    expect(await beginCommands(deployment, job, known, begun)).toBeUndefined();
    expect(await command()).toMatchObject({ state: 'pending', attempts: 0 });
  });
});

describe('while a command runs', () => {
  it('no turn starts and no retry is accepted; its end wakes the next turn', async () => {
    const { deployment, job, known, read } = await thread({ parked: 'thread_stopped', reason: 'thread_stopped' });
    const running = (await beginCommands(deployment, job, known, begun)) as JobDeployment;
    const released = await transition(deployment, await read(SECOND), { type: 'submit' });
    if (!released.done) throw new Error(released.rejected);
    expect(await enterThread(deployment, released.job)).toMatchObject({ mayEnter: false });
    expect(await read(SECOND)).toMatchObject({ parked: 'waiting_for_thread', waits_for: FIRST });
    await expect(retryTurn(deployment, await read(FIRST), { type: 'retry' })).rejects.toThrow('works in its folder');
    await deployment.deployments.replace(running, { ...running, state: 'succeeded' });
    await continueThread(deployment, await finishDeployments(deployment, await read(FIRST), 1));
    expect(await enterThread(deployment, await read(SECOND))).toMatchObject({ mayEnter: true });
  });
});

it('a turn that waited for a command starts when the others of its job are held', async () => {
  const { deployment, known, read } = await thread({ parked: 'thread_stopped', reason: 'thread_stopped' });
  await deployment.deployments.replace(undefined, { ...pending, binding: 'local_project.second' });
  const running = await beginCommands(deployment, await read(FIRST), known, begun);
  if (typeof running !== 'object') throw new Error('the command did not begin');
  const submitted = await transition(deployment, await read(SECOND), { type: 'unpark', reason: 'thread_stopped' });
  if (!submitted.done) throw new Error(submitted.rejected);
  expect(await enterThread(deployment, submitted.job)).toMatchObject({ mayEnter: false });
  expect(await read(SECOND)).toMatchObject({ parked: 'waiting_for_thread', waits_for: FIRST });
  await deployment.deployments.replace(running, { ...running, state: 'succeeded' });
  await holdCommands(deployment, await read(FIRST));
  expect(await read(FIRST)).toMatchObject({ commands_held: true });
  expect(await read(SECOND)).not.toHaveProperty('parked');
});

describe('reconcile-jobs', () => {
  const reconciled = async (next: Partial<Job>) => {
    const { deployment, known, read, command } = await thread(next);
    await deployment.deployments.replace(known, { ...known, pending_reason: 'folder_busy' });
    await deployment.pass(120_000);
    await reconcileDeployments(deployment);
    return { job: await read(FIRST), command: await command(), messages: deployMessages(deployment) };
  };

  it('holds the commands of a success while a later turn waits', async () => {
    expect(await reconciled({})).toMatchObject({
      job: { commands_held: true },
      command: { state: 'pending' },
      messages: 0,
    });
  });

  it('skips those of an earlier turn, and offers those of an idle thread', async () => {
    const skipped = await reconciled({ ...ended, bindings_pending: undefined });
    expect(skipped).toMatchObject({ command: { state: 'skipped' }, messages: 0 });
    expect(skipped.command).not.toHaveProperty('pending_reason');
    expect(skipped.job).not.toHaveProperty('bindings_pending');
    expect(await reconciled({ status: 'CANCELLED' })).toMatchObject({ command: { state: 'pending' }, messages: 1 });
  });
});

it('a success that waits to be deployed keeps its folder from other jobs, not from its thread', async () => {
  const cwd = 'shared';
  const { deployment, job, read } = await thread({ cwd }, { cwd });
  const folder = folderName(deployment.folders, job) ?? '';
  await deployment.slots.replace(folder, undefined, {
    job_id: FIRST,
    job_version: 0,
    taken_at: '2026-11-20T10:00:00.000Z',
  });
  const other = await deployment.store(aJob({ id: 'job_other', cwd }));
  expect(await acquireFolder(deployment, other, folder)).toBe(false);
  expect(await acquireFolder(deployment, await read(SECOND), folder)).toBe(true);
});
