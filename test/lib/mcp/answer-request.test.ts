import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Scope } from '../../../lib/contract/scopes.ts';
import { answerMcp, resumeMcp } from '../../../lib/mcp/answer-request.ts';
import { readEventId } from '../../../lib/mcp/resumption.ts';
import { startStandIn } from './stand-in-service.ts';

const ID = 'job_1';
const RUNNING = { id: ID, status: 'RUNNING', state_reason: { code: 'running', message: 'It runs.' }, attempt: 1 };
const SUCCEEDED = { ...RUNNING, status: 'SUCCEEDED', terminal: true };

let service: Awaited<ReturnType<typeof startStandIn>>;
const failures: string[] = [];
beforeAll(async () => {
  service = await startStandIn();
});
afterAll(() => service.close());
beforeEach(() => {
  failures.length = 0;
  service.asked.length = 0;
  service.answers = {
    'GET /jobs/job_1/status': SUCCEEDED,
    'GET /jobs/job_1/questions': { items: [] },
    'GET /jobs/job_1/result': { ...SUCCEEDED, final_message: 'done', stdout: '', stderr: '', attachments: [] },
  };
});
afterEach(() => void vi.restoreAllMocks());

const callerWith = (may: (scope: Scope) => boolean = () => true) => ({
  ...{ version: '1', baseUrl: service.baseUrl, token: 't', may },
  onFailure: (of: string, error: Error) => void failures.push(`${of}: ${error.message}`),
});
type Headers = Record<string, string | undefined>;
const answer = async (message: object, headers: Headers = {}, { may, accepts = '' } = {} as Asking) =>
  await answerMcp({ body: { jsonrpc: '2.0', ...message }, headers }, callerWith(may), (type) => type === accepts);
interface Asking {
  may?: (scope: Scope) => boolean;
  accepts?: string;
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modern = async (method: string, params: object = {}, asking: Asking = {}) =>
  await answer(
    { id: 1, method, params: { ...params, _meta: META } },
    {
      ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, 'mcp-name': (params as { name?: string }).name },
    },
    asking,
  );
const toolsIn = ({ body }: Awaited<ReturnType<typeof answer>>) =>
  ((body?.result?.tools ?? []) as { name: string; execution?: object }[]).map(({ name, execution }) =>
    execution === undefined ? name : `${name} as a task`,
  );

/** The job runs, and the time of the request ends while it is waited for. */
function endWhileItRuns() {
  vi.restoreAllMocks();
  const over = new AbortController();
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => (ms === 20_000 ? over.signal : timeout(ms)));
  let asked = 0;
  service.answers['GET /jobs/job_1/status'] = () => {
    asked += 1;
    if (asked > 1) over.abort(new DOMException('the time is over', 'TimeoutError'));
    return RUNNING;
  };
}

it('one message is answered, whatever its revision, and a notification has no answer', async () => {
  expect(await answer({ id: 1, method: 'ping' })).toEqual({ status: 200, body: { jsonrpc: '2.0', id: 1, result: {} } });
  expect(await answer({ method: 'notifications/initialized' })).toEqual({ status: 202 });
  expect(await answer({ id: 1, method: 'ping' }, { 'mcp-protocol-version': '2019-01-01' })).toMatchObject({
    status: 400,
  });
  expect(await modern('no/such')).toMatchObject({ status: 404, body: { error: { code: -32_601 } } });
  expect(await modern('subscriptions/listen', { notifications: { toolsListChanged: true } })).toMatchObject({
    body: { error: { code: -32_603 } },
  });
});

it('the tools are those that the scopes of the caller allow; only a 2025 client gets tasks', async () => {
  const may = (scope: Scope) => scope === 'read';
  const listed = toolsIn(await answer({ id: 1, method: 'tools/list' }, {}, { may }));
  expect(listed).toEqual(['wait_for_job', 'job_status', 'list_questions', 'list_jobs']);
  expect(toolsIn(await answer({ id: 1, method: 'tools/list' }))).toContain('run_job as a task');
  expect(toolsIn(await modern('tools/list'))).toContain('run_job');
});

it.each([
  [
    'a refusal',
    [403, { error: 'forbidden', details: { required_scope: 'read' } }],
    'the token lacks the scope read',
    [],
  ],
  [
    ...['what is not of the service', [200, 'no object'] as const],
    ...['The tool failed. Try again later.', [expect.stringMatching(/^job_status: ./)]],
  ],
] as const)(
  '%s is explained to the caller, and the operator sees only what is unexpected',
  async (_, given, message, seen) => {
    service.answers['GET /jobs/job_1/status'] = given as never;
    const params = { name: 'job_status', arguments: { id: ID } };
    for (const { body } of [await answer({ id: 1, method: 'tools/call', params }), await modern('tools/call', params)])
      expect(body?.result).toMatchObject({ isError: true, structuredContent: { message } });
    expect(failures).toEqual([...seen, ...seen]);
  },
);

it('a failing request is repeated for five seconds', async () => {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  service.answers['GET /jobs/job_1/status'] = () => {
    now += 3_000;
    return [503, { error: 'unavailable' }];
  };
  const { body } = await answer({ id: 1, method: 'tools/call', params: { name: 'job_status', arguments: { id: ID } } });
  expect(body?.result).toMatchObject({ isError: true });
  expect(service.asked).toHaveLength(3);
});

it('the requests of one message end after 25 seconds', async () => {
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  for (const params of [{ taskId: ID }, { taskId: 'job_2' }]) await answer({ id: 1, method: 'tasks/get', params });
  expect(timeout.mock.calls).toEqual([[25_000], [25_000]]);
});

const result = { id: 7, method: 'tasks/result', params: { taskId: ID } };

it('the result of a task that runs is a stream for a client that takes one, and an error for others', async () => {
  endWhileItRuns();
  const { status, stream = '', body } = await answer(result, {}, { accepts: 'text/event-stream' });
  expect([status, body, stream]).toEqual([
    200,
    undefined,
    expect.stringMatching(/^id: [\w-]+\nretry: 2000\ndata:\n\n$/),
  ]);
  expect(readEventId(/^id: (.+)$/m.exec(stream)?.[1] ?? '')).toEqual({ task: ID, id: 7, times: 1 });
  endWhileItRuns();
  expect((await answer(result)).body?.error).toMatchObject({
    code: -32_600,
    message: expect.stringContaining('The job has not ended. It runs. Then call tasks/result again.'),
  });
});

it('the result of a task that has ended is an answer, also for a client that takes a stream', async () => {
  const { stream, body } = await answer(result, {}, { accepts: 'text/event-stream' });
  expect([stream, body?.id, body?.result?.structuredContent]).toEqual([
    ...[undefined, 7],
    expect.objectContaining({ final_message: 'done' }),
  ]);
});

it('a stream is resumed until the task has ended, and by no other event', async () => {
  const event = Buffer.from(JSON.stringify({ task: ID, id: 7, times: 1 })).toString('base64url');
  const resumed = await resumeMcp(event, {}, callerWith());
  expect(resumed).toMatch(/^id: end\ndata: \{.*"final_message":"done".*\n\n$/);
  expect(JSON.parse(resumed?.split('data: ')[1] ?? '')).toMatchObject({ id: 7, jsonrpc: '2.0' });
  endWhileItRuns();
  const again = await resumeMcp(event, {}, callerWith());
  expect(readEventId(/^id: (.+)$/m.exec(again ?? '')?.[1] ?? '')).toEqual({ task: ID, id: 7, times: 2 });
  expect(await resumeMcp('end', {}, callerWith())).toBeUndefined();
});
