import { BatchGetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { NEWEST_JOB_SCHEMA } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
import {
  continueThread,
  holdSource,
  releaseSource,
  settleThread,
  waitAgain,
} from '../../../../lib/jobs/threads/settle-thread.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';
import { anEnded } from './known-threads.ts';

const [FIRST, SECOND, THIRD] = ['job_1', 'job_2', 'job_3'];
const waits = (waits_for: string) =>
  ({ reason: 'waiting_for_thread', parked: 'waiting_for_thread', waits_for }) as const;
const stopped = (waits_for: string) => ({ reason: 'thread_stopped', parked: 'thread_stopped', waits_for }) as const;

let deployment: QuietDeployment;
beforeEach(() => {
  deployment = quietDeployment();
});

/** Stores the turns of a thread; undefined: removed. */
async function thread(...turns: readonly (Partial<Job> | 'newer' | undefined)[]): Promise<void> {
  for (const [at, given] of turns.entries()) {
    const [id, turn] = [`job_${at + 1}`, at + 1];
    if (turn > 1) await deployment.threads.put(FIRST, { turn, jobId: id });
    const job = aJob({ id, thread_id: FIRST, turn, ...(given === 'newer' ? {} : given) });
    const Item = { ...job, schema: NEWEST_JOB_SCHEMA + 1 };
    if (given === 'newer') await deployment.table.send(new PutCommand({ TableName: 'jobs', Item }));
    else if (given !== undefined) await deployment.store(job);
  }
  deployment.calls.length = 0;
}
const ended = (more: Partial<Job> = {}) => {
  const { id: _id, ...job } = anEnded(FIRST, more);
  return job;
};
const read = async (id: string) => (await deployment.read({ id })) ?? expect.fail('there is no job');
/** How often the jobs of the thread were read. */
const reads = () => deployment.calls.filter((call) => call instanceof BatchGetCommand).length;

describe('the settled thread', () => {
  it('lets the next turn start, with one write, and reads a thread without commands once', async () => {
    await thread(ended(), waits(FIRST));
    await settleThread(deployment, FIRST);
    expect(await read(SECOND)).toMatchObject({ reason: 'waiting_for_worker', version: 2 });
    expect(await read(SECOND)).not.toHaveProperty('parked');
    expect(reads()).toBe(1);
  });

  it('does so after a turn that was removed', async () => {
    await thread(undefined, waits(FIRST));
    await settleThread(deployment, FIRST);
    expect(await read(SECOND)).not.toHaveProperty('parked');
  });

  it('offers commands to workers though a turn was removed', async () => {
    await thread(ended({ bindings_pending: [1], commands_held: true }), undefined);
    await settleThread(deployment, FIRST);
    expect(await read(FIRST)).not.toHaveProperty('commands_held');
  });

  it('gives a turn that is ready a new version, and records nothing that it waits for', async () => {
    await thread(ended({ status: 'FAILED' }), {});
    const before = await read(SECOND);
    await settleThread(deployment, FIRST);
    expect(await read(SECOND)).toEqual({ ...before, version: 2, change_id: expect.any(String) });
  });

  it.each<[what: string, next: Partial<Job>]>([
    ['runs', { status: 'RUNNING', reason: 'running', attempt: 1 }],
    ['is a draft', { status: 'DRAFT', reason: 'draft' }],
    ['is parked for something else', { reason: 'usage_limit', parked: 'usage_limit' }],
    ['waits for what only a later version knows', { reason: 'stars' as Job['reason'] }],
  ])('leaves a next turn as it is that %s', async (_, next) => {
    await thread(ended(), next);
    const before = await read(SECOND);
    await settleThread(deployment, FIRST);
    expect(await read(SECOND)).toEqual(before);
  });

  it('leaves one that only a later version can read', async () => {
    await thread(ended(), 'newer');
    await expect(settleThread(deployment, FIRST)).resolves.toBeUndefined();
  });

  it('leaves a turn that waits for one which has not ended', async () => {
    await thread(ended(), { status: 'RUNNING', reason: 'running', attempt: 1 }, waits(SECOND));
    const before = await read(THIRD);
    await settleThread(deployment, FIRST);
    expect(await read(THIRD)).toEqual(before);
  });

  it('has a turn wait for the next one, if the one that it waited for has ended', async () => {
    await thread(ended(), { status: 'RUNNING', reason: 'running', attempt: 1 }, waits(FIRST));
    await settleThread(deployment, FIRST);
    expect(await read(THIRD)).toMatchObject({ ...waits(SECOND), version: 2 });
  });

  it('is read once more if a turn changed meanwhile', async () => {
    await thread(ended(), waits(FIRST));
    const { apply } = deployment.jobs;
    deployment.jobs.apply = async (known, next, options) => {
      deployment.jobs.apply = apply;
      await apply.call(deployment.jobs, known, { ...known, priority: 3 });
      return await apply.call(deployment.jobs, known, next, options);
    };
    await settleThread(deployment, FIRST);
    expect(await read(SECOND)).toMatchObject({ reason: 'waiting_for_worker', priority: 3 });
  });
});

it('the commands of a turn are offered, not those of the one that ended, nor of one that has none', async () => {
  const held = { bindings_pending: [1], commands_held: true };
  await thread(ended(held), ended(held), ended());
  const [third, second] = [await read(THIRD), await read(SECOND)];
  await settleThread(deployment, FIRST, second);
  expect([await read(SECOND), await read(THIRD)]).toEqual([second, third]);
  await settleThread(deployment, FIRST);
  expect(await read(SECOND)).not.toHaveProperty('commands_held');
  expect(await read(THIRD)).toEqual(third);
});

describe('a turn that the end of another one had stopped, once that is retried,', () => {
  const again = async () => {
    await waitAgain(deployment, aJob({ id: FIRST, thread_id: FIRST }));
    return { ...(await read(SECOND)) };
  };

  it('waits for it again, with one write, also beside a turn that was removed', async () => {
    await thread({}, stopped(FIRST), undefined);
    expect(await again()).toMatchObject({ ...waits(FIRST), version: 2 });
    expect(reads()).toBe(1);
  });

  it.each<[what: string, first: Partial<Job>, second: Partial<Job>]>([
    ['it was stopped by another one', {}, stopped(THIRD)],
    ['it waits already', {}, waits(FIRST)],
    ['it was stopped for what only a later version knows', {}, { ...stopped(FIRST), reason: 'stars' as Job['reason'] }],
    ['that has failed again', ended({ status: 'FAILED' }), stopped(FIRST)],
    ['that has succeeded', ended(), stopped(FIRST)],
  ])('is as it was, if %s', async (_, first, second) => {
    await thread(first, second);
    const before = await read(SECOND);
    deployment.calls.length = 0;
    expect(await again()).toEqual(before);
    expect(reads()).toBe(1);
  });

  it('is none of a job that is in no thread', async () => {
    await waitAgain(deployment, aJob({ id: FIRST }));
    expect(deployment.calls).toEqual([]);
  });
});

describe('a fork', () => {
  const fork = (more: Partial<Job> = {}) => aJob({ id: 'job_fork', forked_from: FIRST, forked_attempt: 1, ...more });
  const forks = async () => await deployment.threads.forks(FIRST);

  it('keeps the next turn from starting, which only gets a new version', async () => {
    await thread(ended(), {});
    await continueThread(deployment, await deployment.store(fork()));
    expect(await forks()).toEqual(['job_fork']);
    expect(await read(SECOND)).not.toHaveProperty('parked');
    expect(await read(SECOND)).toMatchObject({ version: 2 });
  });

  it.each<Partial<Job>>([{ status: 'CANCELLED' }, { status: 'DRAFT' }, { copied_by: 1 }, { forked_from: undefined }])(
    'keeps no turn, if it is one with %o',
    async (more) => {
      await thread(ended());
      const job = await deployment.store(fork(more));
      expect(await continueThread(deployment, job)).toBe(job);
      expect(await forks()).toEqual([]);
    },
  );

  it.each<[what: string, source: Partial<Job> | undefined]>([
    ['is in no thread', { thread_id: undefined, turn: undefined }],
    ['was removed', undefined],
  ])('of a job that %s keeps no turn, and lets none start', async (_, source) => {
    await thread(source);
    await holdSource(deployment, fork());
    await releaseSource(deployment, fork());
    await releaseSource(deployment, fork({ forked_from: undefined }));
    expect(deployment.calls).toHaveLength(2);
  });

  it('that has ended has its thread settled, unless it has changed meanwhile', async () => {
    await thread(ended());
    const job = await deployment.store(fork({ status: 'CANCELLED', thread_pending: true }));
    const settled = await continueThread(deployment, job);
    expect(settled).toEqual(await read(job.id));
    expect(settled).not.toHaveProperty('thread_pending');
    expect(await continueThread(deployment, job)).toBe(job);
  });
});
