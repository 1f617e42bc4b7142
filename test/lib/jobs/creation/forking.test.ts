import { beforeEach, describe, expect, it } from 'vitest';
import type { JobCreation } from '../../../../lib/contract/schemas/jobs/job-creation.ts';
import { forkOf } from '../../../../lib/jobs/creation/forking.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { timestamp } from '../../../../lib/platform/aws/table-clock.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';

const [SOURCE, TURN] = [jobIdOfKey('forked job'), jobIdOfKey('later turn')];

let deployment: QuietDeployment;
let ended: Partial<Job>;
beforeEach(() => {
  deployment = quietDeployment();
  const finished_at = timestamp(deployment.clock.now());
  ended = { status: 'SUCCEEDED', reason: 'exited', attempt: 1, finished_at, project_id: 'p1', project: 'shop' };
});

const store = async (more: Partial<Job> = {}) => await deployment.store({ id: SOURCE, ...ended, ...more });
const fork = async (more: Partial<JobCreation> = {}) =>
  await forkOf(deployment, { fork: SOURCE, prompt: 'next', ...more });
const refused = async (more?: Partial<JobCreation>) =>
  await fork(more).then(
    () => expect.fail('it is forked'),
    (error: unknown) => error,
  );

it('a request that forks no job is left as it is', async () => {
  expect(await forkOf(deployment, { prompt: 'alone' })).toEqual({ creation: { prompt: 'alone' }, source: undefined });
});

it('a fork has the settings of its source', async () => {
  const source = await store({ model: 'large' });
  const creation = { prompt: 'next', fork: SOURCE, project: 'p1', profile: 'practice', model: 'large' };
  expect(await fork()).toEqual({ creation, source });
});

it.each([{ continue: SOURCE }, { cwd: 'work' }])('a fork takes no %o', async (field) => {
  await store();
  const [name] = Object.keys(field);
  expect(await refused(field)).toMatchObject({ message: `${name}: can't be combined with fork` });
});

it('a fork may name the project of its source by name or id, and no other', async () => {
  const source = await store();
  for (const project of ['p1', 'shop']) expect(await fork({ project })).toMatchObject({ source });
  expect(await refused({ project: 'other' })).toMatchObject({
    message: 'project: received "other"; a fork stays in "shop"',
  });
});

describe('a fork is refused of', () => {
  it.each<[what: string, source: Partial<Job>, why: RegExp, use?: string]>([
    ['a folder that jobs share', { cwd: 'work' }, /works in a folder that jobs share \(cwd\)/, 'continue'],
    ['the folder of a running attempt', { status: 'RUNNING' }, /an attempt of the job runs/],
    ['a job that has not begun', { status: 'QUEUED', attempt: 0 }, /has not begun; there is nothing to copy/],
    ['a fork without its copy', { forked_from: TURN, forked_attempt: 1 }, /has not begun; there is nothing to copy/],
    ['a job that is being removed', { removing: true }, /there is no job of this id/],
    ['a draft', { status: 'DRAFT', attempt: 0 }, /the job is a draft; submit it first/, 'submit'],
  ])('%s', async (_, source, why, use) => {
    await store(source);
    const error = await refused();
    expect(error).toMatchObject({ message: expect.stringMatching(why) });
    if (use !== undefined) expect(error).toMatchObject({ code: 'invalid_state', details: { action: 'fork', use } });
  });

  it('a folder that a later turn of the thread has changed', async () => {
    const source = await store({ thread_id: SOURCE, turn: 1 });
    const turn = await deployment.store({ id: TURN, thread_id: SOURCE, turn: 2, continues: SOURCE });
    await deployment.threads.put(SOURCE, { turn: 2, jobId: TURN });
    // It waits, so that the folder is as the source has left it.
    expect(await fork()).toMatchObject({ source });
    await deployment.jobs.apply(turn, { ...turn, attempt: 1 });
    expect(await refused()).toMatchObject({
      message: `fork: turn 2 of its thread (${TURN}) has begun; fork the newest turn`,
      details: { state: 'SUCCEEDED', action: 'fork' },
    });
  });

  it('a folder in which the command of a binding works', async () => {
    await store({ bindings_pending: [1] });
    const at = timestamp(deployment.clock.now());
    const deploying = { job_id: SOURCE, attempt: 1, binding: 'b', name: 'site', attempts: 1, created_at: at };
    const running = { ...deploying, mode: 'custom', state: 'running', due_at: at } as const;
    const written = await deployment.deployments.replace(undefined, running);
    expect(await refused()).toMatchObject({
      message: expect.stringMatching(/a binding's command works in the folder/),
    });
    await deployment.deployments.replace(written, { ...running, state: 'succeeded' });
    expect(await fork()).toMatchObject({ source: { id: SOURCE } });
  });
});
