import { type DynamoDBDocumentClient, GetCommand, PutCommand, type UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { indexKeys } from '../../../../lib/jobs/indexes/index-keys.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { NEWEST_JOB_SCHEMA, NewerSchemaError } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
import { findJob } from '../../../../lib/jobs/store/find-job.ts';
import { JobStore } from '../../../../lib/jobs/store/job-store.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob, aRunningJob } from '../a-job.ts';

const ID = jobIdOfKey('stored job');
const job = aJob({ id: ID });
const running = aRunningJob({ id: ID });

let deployment: QuietDeployment;
let jobs: JobStore;
beforeEach(() => {
  deployment = quietDeployment();
  jobs = deployment.jobs;
});
const now = async (id = ID) => (await deployment.read({ id })) ?? expect.fail('there is no job');
const put = async (item: object) =>
  await deployment.table.send(new PutCommand({ TableName: 'jobs', Item: { ...item } }));
const itemOf = async (id = ID) =>
  (await deployment.table.send(new GetCommand({ TableName: 'jobs', Key: { id }, ConsistentRead: true }))).Item;
/** The store over a table that does something else with each command. */
const over = (send: (command: unknown) => Promise<unknown>) =>
  new JobStore({ send } as unknown as DynamoDBDocumentClient, 'jobs');
/** The store over a table that has nothing, and takes no write. */
const refusing = over(async (command) => (command instanceof GetCommand ? {} : Promise.reject(new Error('refused'))));

describe('a read', () => {
  it('says that only a later version can read a job, and fails for one that is damaged', async () => {
    await put({ ...job, schema: NEWEST_JOB_SCHEMA + 1 });
    await put({ ...aJob({ id: 'job_damaged' }), attempt: 'one' });
    await expect(jobs.get(ID, { consistent: true })).rejects.toThrow(NewerSchemaError);
    expect(await jobs.find(ID)).toBe('newer');
    expect([...(await jobs.findAll([ID]))]).toEqual([[ID, 'newer']]);
    await expect(jobs.find('job_damaged')).rejects.toThrow(/attempt/);
    await expect(jobs.findAll([ID, 'job_damaged'])).rejects.toThrow(/attempt/);
  });

  it('by the id of a path finds a job that is not being removed, and looks for none by another text', async () => {
    await jobs.create(aJob({ id: ID, status: 'SUCCEEDED', removing: true }));
    await expect(findJob(jobs, ID)).rejects.toMatchObject({ code: 'job_not_found' });
    await expect(findJob(jobs, jobIdOfKey('none'))).rejects.toMatchObject({ code: 'job_not_found' });
    deployment.calls.length = 0;
    await expect(findJob(jobs, 'nonsense')).rejects.toMatchObject({ code: 'job_not_found' });
    expect(deployment.calls).toEqual([]);
  });
});

it.each<[expired: boolean, until: unknown]>([
  [false, '2026-11-20T10:00:31.000Z'],
  [false, '2026-11-20T10:00:30.000Z'],
  [true, '2026-11-20T10:00:29.999Z'],
  [true, undefined],
  [true, 9_999],
])('a lease is over: %s, until %s', async (expired, lease_until) => {
  await put({ ...running, lease_until });
  expect(await jobs.expiredLeases([ID], '2026-11-20T10:00:30.000Z')).toEqual(expired ? [ID] : []);
});

describe('the creation of a job', () => {
  it('is applied once; another one gets the job that has the id', async () => {
    expect(await jobs.create(job)).toEqual({ applied: true, job });
    expect(await itemOf()).toEqual({ ...job, ...indexKeys(job) });
    expect(await jobs.create({ ...job, change_id: 'other' })).toEqual({ applied: false, current: job });
    expect(await now()).toEqual(job);
  });
});

describe('a change', () => {
  const change = (known: Job, more: Partial<Job>) => [known, { ...known, ...more }] as const;

  it('is applied to the version that it was decided on only, and others get what is there', async () => {
    await jobs.create(job);
    const first = await jobs.apply(...change(job, { priority: 1 }));
    expect(first).toEqual({ applied: true, job: { ...job, priority: 1, version: 2, change_id: expect.any(String) } });
    expect(await jobs.apply(...change(job, { priority: 2 }))).toEqual({ applied: false, current: await now() });
    expect(await jobs.apply(...change(aJob({ id: 'job_none' }), {}))).toEqual({ applied: false, current: undefined });
    await expect(refusing.apply(...change(job, {}))).rejects.toThrow('refused');
  });

  it('keeps a heartbeat that came in between, unless it was decided on that there was none', async () => {
    await jobs.create(running);
    const lease_until = '2026-11-20T10:05:00.000Z';
    await jobs.touch(running, { lease_until, progress: { at: '2026', text: 'half' } });
    const same = { sameLease: true };
    expect(await jobs.apply(...change(running, { priority: 1 }), same)).toMatchObject({ applied: false });
    const applied = await jobs.apply(...change(running, { priority: 1 }));
    expect(applied).toMatchObject({ applied: true, job: { lease_until, progress: { text: 'half' } } });
    expect(await itemOf()).not.toHaveProperty('touched');
    expect(await jobs.apply(...change(await now(), { priority: 2 }), same)).toMatchObject({ applied: true });
    expect(await jobs.apply(...change(await now(), { lease_until: undefined }))).toMatchObject({ applied: true });
    expect(await jobs.apply(...change(await now(), { priority: 3 }), same)).toMatchObject({ applied: true });
  });

  it('writes what differs, removes what is gone, and the progress of an attempt that no longer runs', async () => {
    const question = { id: 'q_1', state: 'answered', due: '2026' } as const;
    await jobs.create({ ...running, progress: { at: '2026', text: 'half' }, question, model: 'large' });
    const known = await now();
    deployment.calls.length = 0;
    const { model: _model, ...rest } = known;
    await jobs.apply(known, { ...rest, status: 'FAILED', reason: 'exited', question: { ...question } });
    const [update] = deployment.calls;
    const { UpdateExpression = '' } = (update as UpdateCommand).input;
    for (const name of ['#id', '#question', '#priority', '#progress'])
      expect(UpdateExpression).not.toContain(`${name} =`);
    const after = await now();
    expect(after).toMatchObject({ status: 'FAILED', question });
    for (const name of ['model', 'progress']) expect(after).not.toHaveProperty(name);
    expect(await itemOf()).toEqual({ ...after, ...indexKeys(after) });
  });
});

describe('a change with a put beside it', () => {
  const Item = { kind: 'message#1', id: 'm' };
  const beside = { TableName: 'registry', Item, ConditionExpression: 'attribute_not_exists(id)' };
  const next = { ...job, messages: 1 };

  it('is applied with it, or not at all', async () => {
    await jobs.create(job);
    const applied = await jobs.applyWith(job, next, beside);
    const current = await now();
    expect(applied).toEqual({ applied: true, job: current });
    expect(current).toMatchObject({ messages: 1, version: 2 });
    expect(await jobs.applyWith(current, { ...current, messages: 2 }, beside)).toEqual({ applied: false, current });
    expect(await now()).toEqual(current);
  });
});

it('a job is removed only if it is marked for that', async () => {
  await jobs.create(job);
  await expect(jobs.remove(ID)).rejects.toThrow();
  expect(await now()).toEqual(job);
  await jobs.apply(job, { ...job, removing: true });
  await jobs.remove(ID);
  expect(await jobs.find(ID)).toBeUndefined();
  await expect(jobs.remove(ID)).resolves.toBeUndefined();
});

it.each<[what: string, more: Partial<Job>, attempt: number]>([
  ['another attempt runs', { attempt: 2 }, 1],
  ['it runs no more', { status: 'QUEUED' }, 1],
])('a heartbeat changes nothing of a job: %s', async (_, more, attempt) => {
  await jobs.create({ ...running, ...more });
  const before = await itemOf();
  expect(await jobs.touch({ id: ID, attempt }, { watched_until: '2027' })).toBeUndefined();
  expect(await itemOf()).toEqual(before);
});
