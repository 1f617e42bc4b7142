import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { TOOLS } from '../../../lib/mcp/tool-table.ts';
import { withClient } from './in-memory-client.ts';
import { startStandIn } from './stand-in-service.ts';

const ENDED = {
  ...{ id: 'job_1', status: 'SUCCEEDED', state_reason: { code: 'exited', message: '' }, attempt: 1, terminal: true },
};

let service: Awaited<ReturnType<typeof startStandIn>>;
beforeAll(async () => {
  service = await startStandIn();
});
afterAll(() => service.close());
beforeEach(() => {
  service.asked.length = 0;
  service.answers = { 'GET /jobs/job_1/status': ENDED, 'POST /jobs': [201, { id: 'job_1', url: null }] };
});
afterEach(() => void vi.restoreAllMocks());

type Options = Partial<Parameters<typeof withClient>[0]>;
const toolsOf = async (options: Options = {}) =>
  await withClient({ baseUrl: service.baseUrl, ...options }, async (client) => ({
    tools: (await client.listTools()).tools,
    capabilities: client.getServerCapabilities(),
    version: client.getServerVersion(),
    instructions: client.getInstructions(),
  }));
const call = async (name: string, args?: object, options: Options = {}) =>
  await withClient({ baseUrl: service.baseUrl, ...options }, async (client) =>
    client.request({ method: 'tools/call', params: { name, ...(args && { arguments: args }) } }, CallToolResultSchema),
  );

it('all tools are offered, with their texts, hints and arguments', async () => {
  const { tools, capabilities, version, instructions } = await toolsOf();
  expect(tools.map(({ name, title, description, annotations }) => ({ name, title, description, annotations }))).toEqual(
    TOOLS.map(({ name, title, about, hints }) => ({ name, title, description: about, annotations: hints })),
  );
  expect(tools[0]?.inputSchema).toMatchObject({ required: ['prompt'], additionalProperties: false });
  expect(capabilities).toEqual({ tools: { listChanged: false } });
  expect(version).toEqual({ name: 'promptq', version: '1.2.3' });
  const named = [
    'run_job',
    'create_job',
    'wait_for_job',
    'job_result',
    'list_questions',
    'answer_question',
    'continue_job',
    'list_templates',
    'run_template',
  ];
  expect(named.filter((tool) => !instructions?.includes(tool))).toEqual([]);
});

it('offers only the tools that its options allow', async () => {
  const { tools } = await toolsOf({ offers: (name: string) => name === 'job_status' });
  expect(tools.map(({ name }) => name)).toEqual(['job_status']);
});

it.each([
  ['stdio', 50, 45],
  ['http', 20, 20],
] as const)('on %s, wait_for_job waits at most %s seconds, by default %s', async (wire, maximum, byDefault) => {
  const { tools } = await toolsOf({ wire });
  const schemaOf = (tool: string) => tools.find(({ name }) => name === tool)?.inputSchema.properties;
  expect(schemaOf('wait_for_job')?.timeout_seconds).toEqual({
    description: `How many seconds to wait: ${maximum} at most, by default ${byDefault}.`,
    ...{ type: 'integer', minimum: 1, maximum, default: byDefault },
  });
  expect(Object.keys(schemaOf('job_status') ?? {})).toEqual(['id']);
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  expect(await call('wait_for_job', { id: 'job_1', timeout_seconds: maximum }, { wire })).toMatchObject({
    structuredContent: { status: 'SUCCEEDED' },
  });
  expect(timeout.mock.calls).toEqual([[wire === 'stdio' ? 55_000 : 25_000], [maximum * 1_000]]);
  for (const seconds of [0, maximum + 1])
    expect(await call('wait_for_job', { id: 'job_1', timeout_seconds: seconds }, { wire })).toMatchObject({
      content: [{ text: expect.stringContaining('Invalid arguments for tool wait_for_job: ') }],
      isError: true,
    });
});

it('a tool that is unknown or not offered is a fault of the request', async () => {
  const offers = (name: string) => name !== 'create_job';
  for (const name of ['no_tool', 'create_job'])
    await expect(call(name, { prompt: 'p' }, { offers })).rejects.toMatchObject({
      ...{ code: -32_602, message: expect.stringContaining(`Tool ${name} not found`) },
    });
  expect(service.asked).toEqual([]);
});

it('arguments are checked before anything is called, and may be missing', async () => {
  for (const args of [undefined, {}, { id: 7 }, { id: 'job_1', more: 1 }])
    expect(await call('job_status', args)).toMatchObject({
      content: [{ text: expect.stringMatching(/^Invalid arguments for tool job_status: ./) }],
      isError: true,
    });
  expect(service.asked).toEqual([]);
  service.answers['GET /jobs'] = { items: [], total: 0, total_complete: true, next_cursor: null };
  expect(await call('list_jobs')).toMatchObject({ structuredContent: { message: '0 of 0 jobs.' }, isError: false });
});

it.each([
  [{ id: 'job_1', more: 1 }, 'unknown "more"; allowed: id'],
  [{ id: 7 }, 'id: Instance type "number" is invalid. Expected "string".'],
  [{}, 'Instance does not have required property "id".'],
])('the fault of the arguments %j says what is wrong', async (args, fault) => {
  const [content] = (await call('job_status', args)).content as readonly unknown[];
  expect(content).toMatchObject({ text: `Invalid arguments for tool job_status: ${fault}` });
});

it.each(['.', '..', '%2e%2E', '.%2e'])('the id %s, which is another route in an address, is refused', async (id) => {
  expect(await call('job_status', { id })).toMatchObject({
    ...{
      isError: true,
      structuredContent: { message: expect.stringContaining(`id: received ${JSON.stringify(id)}; `) },
    },
  });
  expect(service.asked).toEqual([]);
});
