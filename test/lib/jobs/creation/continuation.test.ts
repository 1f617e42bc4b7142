import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import type { JobCreation } from '../../../../lib/contract/schemas/jobs/job-creation.ts';
import { beginThread, continuationOf } from '../../../../lib/jobs/creation/continuation.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { NEWEST_JOB_SCHEMA, NewerSchemaError } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
import { JobLabelStore } from '../../../../lib/jobs/store/job-labels.ts';
import { timestamp } from '../../../../lib/platform/aws/table-clock.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

const [FIRST, TURN] = [jobIdOfKey('first turn'), jobIdOfKey('second turn')];

let deployment: QuietDeployment;
beforeEach(() => {
  deployment = quietDeployment();
});

const endedDaysAgo = (days: number) =>
  ({
    ...{ status: 'SUCCEEDED', reason: 'exited', attempt: 1, project_id: 'p1', project: 'shop' },
    finished_at: timestamp(deployment.clock.now() - days * 86_400_000),
  }) as const;
const store = async (more: Partial<Job> = {}) => await deployment.store({ id: FIRST, ...endedDaysAgo(0), ...more });
const next = async (more: Partial<JobCreation> = {}) =>
  await continuationOf(deployment, { continue: FIRST, prompt: 'next', ...more });

it('a request that continues no job is left as it is, without what only a turn may have', async () => {
  const creation = { prompt: 'alone' };
  expect(await continuationOf(deployment, creation)).toEqual({ creation, continuation: undefined });
  for (const [name, value] of Object.entries({ continue_after: 'any', fresh_folder: true }))
    await expect(continuationOf(deployment, { ...creation, [name]: value })).rejects.toThrow(
      `${name}: is only for a job with continue`,
    );
});

describe('a turn', () => {
  it.each<[keeps: boolean, of: string, more: Partial<JobCreation>]>([
    [true, 'that names nothing', {}],
    [true, 'that names its project by name', { project: 'shop' }],
    [true, 'that names its project by id', { project_id: 'p1' }],
    [false, 'in another project', { project: 'other' }],
    [false, 'with a fresh folder', { fresh_folder: true }],
    [false, 'in a folder that it names', { cwd: 'elsewhere' }],
  ])('works in the folder of its thread: %s, if one %s', async (keeps, _, more) => {
    await store();
    const { creation, continuation } = await next(more);
    expect(continuation).toMatchObject({ job: { id: FIRST }, folderOf: keeps ? FIRST : undefined });
    expect(creation).toMatchObject({ continue: FIRST, ...more });
    const another = jobIdOfKey('in a shared folder');
    await store({ id: another, cwd: 'work' });
    const shared = await next({ continue: another, ...more });
    expect([shared.creation.cwd, shared.continuation?.folderOf]).toEqual([keeps ? 'work' : more.cwd, undefined]);
  });

  it('has the settings of the job before, unless the request sets them', async () => {
    const labels = JobLabelStore.address({ tags: ['kept'] });
    const job = await store({ model: 'large', ...(labels !== undefined && { labels }) });
    await deployment.texts.labels.put(job, { tags: ['kept'] });
    const kept = { project: 'p1', profile: 'practice', model: 'large', tags: ['kept'] };
    expect((await next()).creation).toMatchObject(kept);
    expect((await next({ profile: 'practice' })).creation).toMatchObject(kept);
    for (const set of [{ model: 'small' }, { project: 'other' }, { tags: [] }])
      expect((await next(set)).creation).toMatchObject({ ...kept, ...set });
    expect((await next({ project_id: 'other' })).creation).not.toHaveProperty('project');
    expect((await next({ profile: 'other' })).creation).toMatchObject({ profile: 'other', model: undefined });
  });

  it('is refused once its thread has as many as it may have', async () => {
    await store({ thread_id: FIRST, turn: 1 });
    const rows = Array.from({ length: LIMITS.turnsPerThread - 2 }, (_, at) => ({ turn: at + 2, jobId: `job_${at}` }));
    for (const row of rows) await deployment.threads.put(FIRST, row);
    expect((await next()).continuation?.job.id).toBe(FIRST);
    await deployment.threads.put(FIRST, { turn: LIMITS.turnsPerThread, jobId: 'job_last' });
    await expect(next()).rejects.toThrow(`continue: a thread has at most ${LIMITS.turnsPerThread} turns`);
  });
});

describe('the folder of a thread', () => {
  const fromTurn = async () => await next({ continue: TURN });
  const inFolder = { folder_of: FIRST, thread_id: FIRST, turn: 2 };

  it('without its first job is there as long as the continued turn has not ended too long ago', async () => {
    await store({ id: TURN, ...endedDaysAgo(6), ...inFolder });
    expect((await fromTurn()).continuation).toMatchObject({ folderOf: FIRST });
    await deployment.pass(2 * 86_400_000);
    await expect(fromTurn()).rejects.toThrow(/no job has used it for 7 days/);
  });

  it('is deleted with its first job in mind, though the continued job has ended since', async () => {
    await store(endedDaysAgo(8));
    // No record of its thread or its parents leads to it, so nothing else counts it as a user of the folder.
    await store({ id: TURN, ...endedDaysAgo(1), folder_of: FIRST });
    await expect(fromTurn()).rejects.toThrow(/no job has used it for 7 days/);
  });

  it('is kept by a follow-up job of its first job, which waits', async () => {
    await store({ ...endedDaysAgo(8), thread_id: FIRST, turn: 1, tool_children: ['job_child'] });
    await store({ id: TURN, ...endedDaysAgo(8), ...inFolder });
    await deployment.threads.put(FIRST, { turn: 2, jobId: TURN });
    await expect(fromTurn()).rejects.toThrow(/no job has used it for 7 days/);
    await deployment.store({ id: 'job_child', folder_of: FIRST });
    expect((await fromTurn()).continuation).toMatchObject({ folderOf: FIRST });
  });
});

describe('the job to continue', () => {
  const storeLater = async (job: Job) => {
    const Item = { ...job, schema: NEWEST_JOB_SCHEMA + 1 };
    await deployment.table.send(new PutCommand({ TableName: deployment.env.JOBS_TABLE, Item }));
  };

  it.each([
    ['there is none', 'job_00000000000000000000000009', /continue: received .* there is no job of this id/],
    ['its id can be none', 'nonsense', /continue: received "nonsense"; there is no job of this id/],
  ])('is not found: %s', async (_, id, why) => {
    await expect(next({ continue: id })).rejects.toThrow(why);
  });

  it('is not looked for by what can be no id', async () => {
    await expect(next({ continue: 'nonsense' })).rejects.toThrow();
    expect(deployment.calls.filter((call) => call instanceof GetCommand)).toEqual([]);
  });

  it('is not found while it is being removed', async () => {
    await store({ removing: true });
    await expect(next()).rejects.toThrow(/there is no job of this id/);
  });

  it('is no draft', async () => {
    await store({ status: 'DRAFT', attempt: 0 });
    await expect(next()).rejects.toMatchObject({ code: 'invalid_state', details: { use: 'submit' } });
  });

  it('is none that only a later version can read', async () => {
    await storeLater(aJob({ id: FIRST }));
    await expect(next()).rejects.toThrow(NewerSchemaError);
  });

  it('begins a thread, and stays in the one that it is in', async () => {
    const job = await store();
    expect(await beginThread(deployment, job, 'continue')).toBe(FIRST);
    expect(await deployment.read(job)).toMatchObject({ thread_id: FIRST, turn: 1 });
    // A later version has changed it: only that may do so again, but its thread has room for a turn.
    const later = { id: TURN, status: 'PAUSED' as Job['status'], thread_id: FIRST, turn: 2 };
    expect(await beginThread(deployment, await deployment.store(later), 'continue')).toBe(FIRST);
  });
});
