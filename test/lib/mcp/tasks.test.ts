import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { withClient } from './in-memory-client.ts';
import { startStandIn } from './stand-in-service.ts';

const ID = 'job_1';
const [CREATED, QUEUED, STARTED, FINISHED] = [0, 1, 2, 3].map((minute) => `2030-01-01T00:0${minute}:00.000Z`);
const JOB = {
  ...{ id: ID, status: 'RUNNING', state_reason: { code: 'running', message: 'It runs.' }, attempt: 1 },
  ...{ created_at: CREATED, queued_at: QUEUED, started_at: STARTED, finished_at: null, question: null },
};
const TASK = {
  ...{ taskId: ID, status: 'working', statusMessage: 'It runs.', createdAt: CREATED, lastUpdatedAt: STARTED },
  ...{ ttl: null, pollInterval: 2_000 },
};
const inState = (status: string, code = 'exited') => ({ ...JOB, status, state_reason: { code, message: 'It runs.' } });
const ASKED = { id: 'q_1', job_id: ID, state: 'open', question: 'Which?', options: [], default: null };

let service: Awaited<ReturnType<typeof startStandIn>>;
beforeAll(async () => {
  service = await startStandIn();
});
afterAll(() => service.close());
beforeEach(() => {
  service.asked.length = 0;
  service.answers = { 'GET /jobs/job_1': JOB, 'GET /jobs/job_1/questions': { items: [] } };
});

type Options = Partial<Parameters<typeof withClient>[0]>;
const tasks = async <T>(work: (tasks: Client['experimental']['tasks']) => Promise<T>, options: Options = {}) =>
  await withClient({ baseUrl: service.baseUrl, ...options }, async (client) => await work(client.experimental.tasks));
const taskWith = async (job: object) => {
  service.answers['GET /jobs/job_1'] = { ...JOB, ...job };
  return await tasks(async (all) => await all.getTask(ID));
};

it.each([
  ['SUCCEEDED', 'exited', 'completed'],
  ['FAILED', 'exited', 'failed'],
  ['CANCELLED', 'cancelled', 'cancelled'],
  ['RUNNING', 'cancelling', 'cancelled'],
  ['QUEUED', 'question', 'input_required'],
  ['QUEUED', 'waiting_for_worker', 'working'],
])('the task of a job that is %s because of %s is %s', async (status, code, expected) => {
  expect(await taskWith(inState(status, code))).toEqual({ ...TASK, status: expected });
});

it('a task was last updated at the last known time of its job', async () => {
  const times = [{ finished_at: FINISHED }, {}, { started_at: null }, { started_at: null, queued_at: null }];
  const updated: string[] = [];
  for (const each of times) updated.push((await taskWith(each)).lastUpdatedAt);
  expect(updated).toEqual([FINISHED, STARTED, QUEUED, CREATED]);
});

it('a task whose job asks while it runs needs input, and says what for', async () => {
  service.answers['GET /jobs/job_1/questions'] = { items: [ASKED] };
  expect(await taskWith({ question: { state: 'open' } })).toEqual({
    ...{ ...TASK, status: 'input_required', statusMessage: 'The agent of the job asks: Which?' },
  });
  service.asked.length = 0;
  for (const question of [null, { state: 'answered' }]) expect(await taskWith({ question })).toEqual(TASK);
  expect(service.asked).toEqual([['GET /jobs/job_1'], ['GET /jobs/job_1']]);
  service.answers['GET /jobs/job_1/questions'] = { items: [] };
  expect(await taskWith({ question: { state: 'open' } })).toEqual(TASK);
});

it('a task is cancelled with its job, unless that has ended', async () => {
  service.answers['POST /jobs/job_1/cancel'] = inState('RUNNING', 'cancelling');
  expect(await tasks(async (all) => await all.cancelTask(ID))).toEqual({ ...TASK, status: 'cancelled' });
  service.asked.length = 0;
  service.answers['GET /jobs/job_1'] = inState('FAILED');
  await expect(tasks(async (all) => await all.cancelTask(ID))).rejects.toMatchObject({
    ...{ code: -32_602, message: expect.stringContaining('The job has already ended: it is FAILED.') },
  });
  expect(service.asked).toEqual([['GET /jobs/job_1']]);
});

it('the tasks are all jobs but drafts, 50 in a page', async () => {
  service.answers['GET /jobs'] = { items: [JOB, inState('DRAFT', 'draft')], next_cursor: 'c' };
  expect(await tasks(async (all) => await all.listTasks())).toEqual({ tasks: [TASK], nextCursor: 'c' });
  service.answers['GET /jobs'] = { items: [], next_cursor: null };
  expect(await tasks(async (all) => await all.listTasks('c'))).toEqual({ tasks: [] });
  expect(service.asked).toEqual([
    ['GET /jobs', { limit: '50' }],
    ['GET /jobs', { limit: '50', cursor: 'c' }],
  ]);
});

it('a refusal is the fault of the request, and any other failure one of the server', async () => {
  const failed = async (options?: Options) =>
    await tasks(async (all) => await all.getTask(ID), options).catch((e) => e);
  for (const [status, code] of [[404, -32_602] as const, [499, -32_602] as const]) {
    service.answers['GET /jobs/job_1'] = [status, { error: 'no', request_id: 'r' }];
    expect(await failed()).toMatchObject({ code, message: `MCP error ${code}: tasks/get: no` });
  }
  service.answers['GET /jobs/job_1'] = [500, { error: 'no', request_id: 'r' }];
  expect(await failed()).toMatchObject({ code: -32_603 });
  const client = async () => {
    throw new Error('no token');
  };
  expect(await failed({ client })).toMatchObject({ code: -32_603, message: expect.stringContaining('no token') });
});

it('the result of a task is that of its job, and names the task', async () => {
  service.answers['GET /jobs/job_1/status'] = { ...inState('SUCCEEDED'), terminal: true };
  service.answers['GET /jobs/job_1/result'] = {
    ...{ ...inState('SUCCEEDED'), final_message: 'done', stdout: '', stderr: '', attachments: [] },
  };
  expect(await tasks(async (all) => await all.getTaskResult(ID, CallToolResultSchema))).toMatchObject({
    structuredContent: { message: 'The job succeeded.', final_message: 'done' },
    ...{ isError: false, _meta: { 'io.modelcontextprotocol/related-task': { taskId: ID } } },
  });
});

it('a client that cannot ask its user is refused with the question, and so is one that may not answer', async () => {
  service.answers['GET /jobs/job_1/questions'] = { items: [ASKED] };
  await expect(tasks(async (all) => await all.getTaskResult(ID, CallToolResultSchema))).rejects.toMatchObject({
    code: -32_600,
    message: expect.stringMatching(
      /The job has not ended\. Its agent asks: Which\? Call answer_question\. Then call tasks\/result again\.$/,
    ),
  });
});

it('the wait for a result ends with the signal of the server', async () => {
  service.answers['GET /jobs/job_1/status'] = { ...inState('SUCCEEDED'), terminal: true };
  const over = AbortSignal.abort(new DOMException('the time is over', 'TimeoutError'));
  const asked = tasks(async (all) => await all.getTaskResult(ID, CallToolResultSchema), { over });
  await expect(asked).rejects.toThrow('The service took too long. Call the tool again.');
});

it('a job that waits for a person is asked for its state only after a pause', async () => {
  const over = new AbortController();
  service.answers['GET /jobs/job_1/status'] = () => {
    setTimeout(() => over.abort(), 30);
    return { ...inState('QUEUED', 'account_required'), terminal: false };
  };
  const asked = tasks(async (all) => await all.getTaskResult(ID, CallToolResultSchema), { over: over.signal });
  await expect(asked).rejects.toThrow('aborted');
  expect(service.asked).toEqual([['GET /jobs/job_1/questions'], ['GET /jobs/job_1/status']]);
});

it('a created job is a task although its state is unknown, which the operator sees', async () => {
  service.answers['POST /jobs'] = [201, { id: ID, url: null }];
  service.answers['GET /jobs/job_1'] = [400, { error: 'no', request_id: 'r' }];
  const explained: string[] = [];
  const explain = async (error: unknown, of: string) => {
    explained.push(`${of}: ${(error as Error).message}`);
    return '';
  };
  const params = { name: 'run_job', arguments: { prompt: 'p', idempotency_key: 'k' }, task: { ttl: 1_000 } };
  const result = await withClient({ baseUrl: service.baseUrl, explain }, async (client) =>
    client.request({ method: 'tools/call', params }, CallToolResultSchema),
  );
  const time = expect.stringMatching(/^\d{4}-.*Z$/);
  const times = { createdAt: time, lastUpdatedAt: time, ttl: null, pollInterval: 2_000 };
  expect(result).toMatchObject({ task: { taskId: ID, status: 'working', ...times } });
  expect(explained).toEqual(['run_job: no']);
});

it('a tool that waits for nothing is no task, and a job whose creation fails is none', async () => {
  const call = async (name: string) =>
    await withClient({ baseUrl: service.baseUrl }, async (client) => {
      const params = { name, arguments: { prompt: 'p', idempotency_key: 'k' }, task: { ttl: 1_000 } };
      return await client.request({ method: 'tools/call', params }, CallToolResultSchema);
    });
  await expect(call('create_job')).rejects.toMatchObject({
    ...{ code: -32_601, message: expect.stringContaining("Tool create_job can't be called as a task") },
  });
  expect(service.asked).toEqual([]);
  service.answers['POST /jobs'] = [400, { error: 'no', request_id: 'r' }];
  expect(await call('run_job')).toMatchObject({ isError: true, structuredContent: { message: 'run_job: no' } });
  service.answers['POST /jobs'] = [201, { id: ID, url: null }];
  expect(await call('run_job')).toMatchObject({ content: [], task: TASK });
});
