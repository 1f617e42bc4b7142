import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Scope } from '../../../lib/contract/scopes.ts';
import { answerMcp } from '../../../lib/mcp/answer-request.ts';
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
const answer = async (message: object, headers: Headers = {}, { may } = {} as Asking) =>
  await answerMcp({ body: { jsonrpc: '2.0', ...message }, headers }, callerWith(may));
interface Asking {
  may?: (scope: Scope) => boolean;
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
  ((body?.result?.tools ?? []) as { name: string }[]).map(({ name }) => name);

it('lists the tools that the scopes of the caller allow, in either era of the protocol', async () => {
  const may = (scope: Scope) => scope === 'read';
  const listed = toolsIn(await answer({ id: 1, method: 'tools/list' }, {}, { may }));
  expect(listed).toEqual([
    ...['wait_for_job', 'job_status', 'read_job', 'list_questions', 'list_jobs', 'list_diagrams', 'read_diagram'],
    ...['list_templates', 'list_profiles'],
  ]);
  expect(toolsIn(await answer({ id: 1, method: 'tools/list' }))).toContain('run_job');
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
