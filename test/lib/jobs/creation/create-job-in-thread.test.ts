import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import type { JobCreation } from '../../../../lib/contract/schemas/jobs/job-creation.ts';
import { createJob } from '../../../../lib/jobs/creation/create-job.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey, jobIdOfOwnedKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { JOB_SCHEMA, NEWEST_JOB_SCHEMA, THREAD_JOB_SCHEMA } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
import { timestamp } from '../../../../lib/platform/aws/table-clock.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

const EARLIER = jobIdOfKey('earlier job');

let deployment: QuietDeployment;
beforeEach(async () => {
  deployment = quietDeployment();
  const finished_at = timestamp(deployment.clock.now());
  const ended = { status: 'SUCCEEDED', reason: 'exited', attempt: 1, finished_at, agent: 'codex' } as const;
  await deployment.store({ id: EARLIER, ...ended, profile: 'codex' });
});
const jobOf = async (id: string) => (await deployment.read({ id })) ?? expect.fail('there is no job');
const create = async (fields: Partial<JobCreation>): Promise<Job> =>
  await jobOf((await createJob(deployment, { prompt: 'echo hi', ...fields }, 'token:test')).id);

it('a job alone is in no thread, and waits for a worker', async () => {
  const job = await create({});
  expect(job).toMatchObject({ schema: JOB_SCHEMA, status: 'QUEUED', reason: 'waiting_for_worker', attempt: 0 });
  expect(job.queued_at).toBe(job.created_at);
  for (const name of ['spread', 'after_any', 'thread_id', 'forked_from', 'folder_of'])
    expect(job).not.toHaveProperty(name);
});

it('a turn of a thread that is idle waits for a worker, after the thread has begun', async () => {
  const turn = await create({ continue: EARLIER });
  const placed = { thread_id: EARLIER, continues: EARLIER, turn: 2, folder_of: EARLIER };
  expect(turn).toMatchObject({ schema: THREAD_JOB_SCHEMA, reason: 'waiting_for_worker', ...placed });
  expect(await jobOf(EARLIER)).toMatchObject({ thread_id: EARLIER, turn: 1 });
  expect(deployment.sent).toEqual([{ job: turn.id, band: 'normal', seconds: 0 }]);
});

it('a turn that may follow any end says so', async () => {
  expect(await create({ continue: EARLIER, continue_after: 'any' })).toMatchObject({ after_any: true });
  const before = await create({ continue: EARLIER });
  const after = await create({ continue: before.id, continue_after: 'success' });
  expect(after).toMatchObject({ turn: 4, reason: 'waiting_for_thread', waits_for: before.id });
  expect(after).not.toHaveProperty('after_any');
});

it('a fork waits for a worker, and the thread that it forks knows of it', async () => {
  const fork = await create({ fork: EARLIER });
  const copies = { forked_from: EARLIER, forked_attempt: 1 };
  expect(fork).toMatchObject({ schema: THREAD_JOB_SCHEMA, status: 'QUEUED', reason: 'waiting_for_worker', ...copies });
  expect(await jobOf(EARLIER)).toMatchObject({ thread_id: EARLIER, turn: 1 });
  expect(await deployment.threads.forks(EARLIER)).toEqual([fork.id]);
  expect(deployment.sent).toEqual([{ job: fork.id, band: 'normal', seconds: 0 }]);
});

it.each(['continue', 'fork'] as const)(
  'a job is created although its thread learns of it later: %s',
  async (action) => {
    const { put, putFork } = deployment.threads;
    const refuse = () => Promise.reject(new Error('refused'));
    Object.assign(deployment.threads, { put: refuse, putFork: refuse });
    const { id, status } = await create({ [action]: EARLIER });
    Object.assign(deployment.threads, { put, putFork });
    expect([status, await deployment.threads.forks(EARLIER)]).toEqual(['QUEUED', []]);
    expect(await jobOf(id)).not.toHaveProperty('turn');
  },
);

it.each([{ draft: true }, { save_draft: true }])('a draft waits for its submission: %o', async (draft) => {
  const job = await create(draft);
  expect(job).toMatchObject({ status: 'DRAFT', reason: 'draft' });
  expect(job).not.toHaveProperty('queued_at');
  expect(await create({ continue: EARLIER, ...draft })).not.toHaveProperty('parked');
});

it('the key of a fork is read as of the last write, that of another job at half the price', async () => {
  const readOf = async (fields: Partial<JobCreation>) => {
    deployment.calls.length = 0;
    const { id } = await create({ ...fields, idempotency_key: JSON.stringify(fields) });
    const reads = deployment.calls.filter((call) => call instanceof GetCommand && call.input.Key?.id === id);
    return (reads[0] as GetCommand).input.ConsistentRead;
  };
  expect([await readOf({ fork: EARLIER }), await readOf({ continue: EARLIER }), await readOf({})]).toEqual([
    true,
    false,
    false,
  ]);
});

it('the key of a fork may belong to a job that only a later version can read', async () => {
  const id = jobIdOfOwnedKey('token:test', 'later');
  const Item = { ...aJob({ id }), schema: NEWEST_JOB_SCHEMA + 1 };
  await deployment.table.send(new PutCommand({ TableName: deployment.env.JOBS_TABLE, Item }));
  const fork = { prompt: 'hi', fork: EARLIER, idempotency_key: 'later' };
  expect(await createJob(deployment, fork, 'token:test')).toMatchObject({ id, replayed: true });
});

it('the texts of a job that are too much for its item are stored', async () => {
  await deployment.rules.put({ id: 'brief', name: 'Brief', text: 'Be brief.' });
  const texts = { prompt: 'x'.repeat(1_000), extra_prompt: 'And more.', rule_ids: ['brief'], cwd: 'work' };
  const job = await create(texts);
  expect(await deployment.texts.get(job)).toEqual({ ...texts, project: 'local_project' });
  expect(job.prompt_preview.length).toBeLessThan(1_000);
});

it('a job may be a copy of one that only a later version can read', async () => {
  const copied_from = jobIdOfKey('later');
  const Item = { ...aJob({ id: copied_from }), schema: NEWEST_JOB_SCHEMA + 1 };
  await deployment.table.send(new PutCommand({ TableName: deployment.env.JOBS_TABLE, Item }));
  expect(await create({ copied_from })).toMatchObject({ copied_from });
});

it('a job may be a copy of one that is kept, not of one that is being removed', async () => {
  const [kept, removed] = [jobIdOfKey('kept'), jobIdOfKey('removed')];
  await deployment.store({ id: kept, status: 'FAILED' });
  await deployment.store({ id: removed, status: 'FAILED', removing: true });
  expect(await create({ copied_from: kept })).toMatchObject({ copied_from: kept });
  await expect(create({ copied_from: removed })).rejects.toThrow('there is no job of this id');
});

it('what can be no id of a job is not looked for', async () => {
  await expect(create({ copied_from: 'nonsense' })).rejects.toThrow();
  expect(deployment.calls.filter((call) => call instanceof GetCommand)).toEqual([]);
});

describe('a creation is refused', () => {
  it.each<[why: string, fields: Partial<JobCreation>]>([
    ['prompt: is missing; expected a non-empty string in prompt or base_prompt', { prompt: undefined }],
    ['prompt and base_prompt: received two different texts', { base_prompt: 'another' }],
    ['project and project_id: received "a" and "b"; they must name one project', { project: 'a', project_id: 'b' }],
    ['profile: received "none"; there is no profile of this name', { profile: 'none' }],
    ['rule_ids: received "none"; there is no rule of this id', { rule_ids: ['none'] }],
    ['cwd: received "../.."; a relative folder must stay within', { cwd: '../..' }],
    [`cwd: received "${EARLIER}"; the folder belongs to one job alone`, { cwd: EARLIER }],
    ['profile: received "shell", whose agent is shell', { continue: EARLIER, profile: 'shell' }],
    ['profile: received "shell", whose agent is shell', { fork: EARLIER, profile: 'shell' }],
    ['copied_from: received "nonsense"; there is no job of this id', { copied_from: 'nonsense' }],
    [`copied_from: received "${jobIdOfKey('gone')}"`, { copied_from: jobIdOfKey('gone') }],
    [`copied_from: received "${jobIdOfKey('going')}"`, { copied_from: jobIdOfKey('going') }],
  ])('%s', async (why, fields) => {
    await deployment.profiles.put({ name: 'shell', agent: 'shell' });
    await deployment.store({ id: jobIdOfKey('going'), status: 'SUCCEEDED', attempt: 1, removing: true });
    await expect(create(fields)).rejects.toThrow(why);
    expect(deployment.sent).toEqual([]);
  });
});
