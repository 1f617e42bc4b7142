import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Scope } from '../../../lib/contract/scopes.ts';
import { answerMcp } from '../../../lib/mcp/answer-request.ts';
import { startStandIn } from './stand-in-service.ts';

/** Questions of jobs to the user of a client of the revision 2026-07-28, which sends all that an answer needs. */
const ID = 'job_1';
const ASKING = { id: ID, status: 'RUNNING', state_reason: { code: 'question', message: 'It asks.' }, attempt: 1 };
const ENDED = { ...ASKING, status: 'SUCCEEDED', state_reason: { code: 'exited', message: '' }, terminal: true };
const QUESTION = { id: 'q_1', job_id: ID, state: 'open', question: 'Which?', options: ['a', 'b'], default: null };

let service: Awaited<ReturnType<typeof startStandIn>>;
beforeAll(async () => {
  service = await startStandIn();
});
afterAll(() => service.close());
beforeEach(() => {
  service.asked.length = 0;
  service.answers = {
    'POST /jobs': [201, { id: ID, url: null }],
    'GET /jobs/job_1/status': ASKING,
    'GET /jobs/job_1/questions': { items: [QUESTION] },
    'GET /jobs/job_1/result': { ...ENDED, final_message: 'done', stdout: '', stderr: '', attachments: [] },
    'POST /jobs/job_1/answers': () => {
      service.answers['GET /jobs/job_1/status'] = ENDED;
      return ENDED;
    },
  };
});

interface Asking {
  readonly shows?: object;
  readonly may?: (scope: Scope) => boolean;
  readonly again?: object;
  readonly tool?: 'run_job' | 'wait_for_job';
}
/** The result of a tool; `shows`: what the client shows to its user; `again`: what its second call adds. */
async function run({
  shows = { elicitation: { form: {} } },
  may = () => true,
  again = {},
  tool = 'run_job',
}: Asking = {}) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': shows,
  };
  const args = tool === 'run_job' ? { prompt: 'p', idempotency_key: 'k' } : { id: ID };
  const params = { name: tool, arguments: args, ...again, _meta };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': tool };
  const caller = { version: '1', baseUrl: service.baseUrl, token: 't', may, onFailure: () => undefined };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  return (await answerMcp({ body, headers }, caller, () => false)).body?.result;
}
const routes = () => (service.asked as [string][]).map(([route]) => route);
const NAMED = { structuredContent: { message: expect.stringContaining('Call list_questions') } };

it('a client that can ask its user gets the question, with the job that its second call is about', async () => {
  const result = await run();
  expect(result).toMatchObject({
    requestState: ID,
    inputRequests: {
      q_1: {
        method: 'elicitation/create',
        params: {
          message: 'The agent of job job_1 asks: Which?',
          requestedSchema: { properties: { answer: { type: 'string', description: 'Suggested: a, b' } } },
        },
      },
    },
  });
  expect(result).not.toHaveProperty('content');
});

it('the question is only named to a client that cannot ask its user, and to one that may not answer', async () => {
  for (const shows of [{}, { elicitation: { url: {} } }]) expect(await run({ shows })).toMatchObject(NAMED);
  expect(await run({ tool: 'wait_for_job' })).toHaveProperty('inputRequests');
  expect(await run({ tool: 'wait_for_job', may: (scope) => scope === 'read' })).toMatchObject(NAMED);
});

it('the answer of the user is given to the job of the first call, and no second job is created', async () => {
  const inputResponses = { q_1: { action: 'accept', content: { answer: 'a' } } };
  expect(await run({ again: { requestState: ID, inputResponses } })).toMatchObject({
    structuredContent: { final_message: 'done' },
  });
  expect(service.asked[0]).toEqual(['POST /jobs/job_1/answers', { question_id: 'q_1', answer: 'a' }]);
  expect(routes()).not.toContain('POST /jobs');
});

it.each([
  ['declines', { action: 'decline', content: { answer: 'a' } }],
  ['cancels', { action: 'cancel' }],
  ['sends no text', { action: 'accept', content: { answer: 7 } }],
  ['sends nothing', { action: 'accept' }],
])('a user who %s is not asked again in the same call, and no answer is given', async (_, response) => {
  const again = { requestState: ID, inputResponses: { q_1: response } };
  expect(await run({ again })).toMatchObject(NAMED);
  expect(routes()).toEqual(['GET /jobs/job_1/status']);
});

it('a second call without responses asks again, and one without a state is a first one', async () => {
  expect(await run({ again: { requestState: ID } })).toHaveProperty('inputRequests');
  expect(routes()).not.toContain('POST /jobs');
  await run({ again: { inputResponses: {} } });
  expect(routes()).toContain('POST /jobs');
});
