import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Promptq } from '../../../lib/client/promptq.ts';
import { type Answer, toolResult } from '../../../lib/mcp/answers.ts';
import { TOOL_CALLS } from '../../../lib/mcp/tools.ts';
import { startStandIn } from './stand-in-service.ts';

const ID = 'job_1';
const JOB = { id: ID, status: 'RUNNING', state_reason: { code: 'running', message: 'It runs.' }, attempt: 1 };
const ENDED = {
  ...JOB,
  ...{ status: 'SUCCEEDED', state_reason: { code: 'exited', message: 'It has ended.' }, terminal: true },
};
const ASKING = { ...JOB, state_reason: { code: 'question', message: 'It asks.' }, terminal: false };
const OPEN = { id: 'q_2', job_id: ID, state: 'open', question: 'Which?', options: [], default: null, answer: null };
const RESULT = {
  ...{ ...ENDED, exit_code: 0, signal: null, error: null, duration_ms: 5, usage: null, changes: null },
  ...{ final_message: null, stdout: '', stderr: '', attachments: [] as string[], secret: 'not for agents' },
  agent: 'shell',
};

let service: Awaited<ReturnType<typeof startStandIn>>;
let client: Promptq;
beforeAll(async () => {
  service = await startStandIn();
  client = new Promptq({ baseUrl: service.baseUrl, token: 't', retrySeconds: 0 });
});
afterAll(() => service.close());
beforeEach(() => {
  service.asked.length = 0;
  service.answers = {
    'POST /jobs': [201, { id: ID, url: null }],
    'GET /jobs/job_1': { ...ENDED, agent: 'shell' },
    'GET /jobs/job_1/status': ENDED,
    'GET /jobs/job_1/result': RESULT,
  };
});

type Call = Parameters<(typeof TOOL_CALLS)['run_job']>[0];
const call = async (name: keyof typeof TOOL_CALLS, args: object, more: Partial<Call> = {}) =>
  await TOOL_CALLS[name](
    {
      ...{ client, wire: 'http', signal: AbortSignal.timeout(60_000), waitUntil: Infinity, canAsk: false },
      onFailure: async (error: unknown) => (error as Error).message,
      ...more,
    },
    args as never,
  );
const bytesOf = (answer: Answer) => Buffer.byteLength(JSON.stringify(toolResult(answer)));
const resultWith = async (more: object, args: object = {}) => {
  service.answers['GET /jobs/job_1/result'] = { ...RESULT, ...more };
  return (await call('job_result', { id: ID, ...args })).fields as Record<string, unknown>;
};

it.each([
  ['create_job', { prompt: 'p' }, { prompt: 'p' }, 'Job job_1 exists. Call wait_for_job.'],
  [
    ...['continue_job' as const, { id: 'job_0', prompt: 'p' }, { prompt: 'p', continue: 'job_0' }],
    'Job job_1 continues job_0. Call wait_for_job.',
  ],
  [
    ...['fork_job' as const, { id: 'job_0', prompt: 'p' }, { prompt: 'p', fork: 'job_0' }],
    'Job job_1 begins with a copy of job_0. Call wait_for_job.',
  ],
] as const)('%s of %j creates a job', async (name, args, body, message) => {
  expect(await call(name, { ...args, idempotency_key: 'k' })).toEqual({ message, fields: { id: ID, url: null } });
  expect(service.asked).toEqual([['POST /jobs', { ...body, idempotency_key: 'k' }]]);
});

it('job_status and wait_for_job say how the job is doing', async () => {
  expect(await call('job_status', { id: ID })).toEqual({ message: 'SUCCEEDED: It has ended.', fields: ENDED });
  const message = 'The job succeeded. Call job_result for its answer.';
  expect(await call('wait_for_job', { id: ID })).toEqual({ message, fields: ENDED });
});

describe('a question of the agent', () => {
  beforeEach(() => {
    service.answers['GET /jobs/job_1/status'] = ASKING;
    service.answers['GET /jobs/job_1/questions'] = { items: [{ ...OPEN, id: 'q_1', state: 'answered' }, OPEN] };
  });
  const tools = ['run_job', 'wait_for_job'] as const;

  it.each(tools)('is what %s returns to a client that can ask its user', async (name) => {
    expect(await call(name, { id: ID }, { canAsk: true })).toEqual({ message: '', question: OPEN });
  });
});

it('a result has the final message, or the ends of the streams, and says if either is cut', async () => {
  const {
    secret: _,
    stdout: __,
    stderr: ___,
    final_message: ____,
    attachments: _____,
    agent: ______,
    ...shown
  } = RESULT;
  expect(await resultWith({ final_message: 'done', stdout: 'x' })).toEqual({
    ...{ ...shown, terminal: undefined, final_message: 'done', next_message_offset: null, answer_truncated: false },
    ...{ attachments: [], attachments_total: 0 },
  });
  for (const [length, isCut] of [[32_000, false] as const, [32_001, true] as const])
    expect(await resultWith({ final_message: 'x'.repeat(length) }, { message_length: 32_000 })).toMatchObject({
      ...{ final_message: 'x'.repeat(32_000), answer_truncated: isCut },
    });
  const [fitting, long] = ['y'.repeat(500), `x${'y'.repeat(9_000)}`];
  expect(await resultWith({ stdout: fitting, stderr: fitting })).toMatchObject({ answer_truncated: false });
  for (const streams of [{ stdout: long }, { stderr: long }])
    expect(await resultWith({ stdout: fitting, stderr: fitting, ...streams })).toMatchObject({
      ...{ stdout: expect.stringMatching(/^y+$/), stderr: expect.stringMatching(/^y+$/), answer_truncated: true },
    });
  expect(await resultWith({ final_message: '', stdout: 'x' })).not.toHaveProperty('stdout');
});

it('the output of a script is read in parts of 2 KiB unless asked otherwise, and say whether more may follow', async () => {
  service.answers['GET /jobs/job_1/logs'] = { ...JOB, stdout: 'x' };
  const more = { message: 'The job may write more output.', fields: { ...JOB, stdout: 'x' } };
  expect(await call('job_logs', { id: ID })).toEqual(more);
  expect(await call('job_logs', { id: ID, limit: 4, stream: 'stderr', offset: 7 })).toEqual(more);
  service.answers['GET /jobs/job_1/logs'] = ENDED;
  expect((await call('job_logs', { id: ID })).message).toBe('The job has ended.');
  expect(service.asked.slice(1, 3)).toEqual([
    ['GET /jobs/job_1/logs', { limit: '2048' }],
    ['GET /jobs/job_1/logs', { limit: '4', stream: 'stderr', offset: '7' }],
  ]);
});

describe('what an agent has done is text', () => {
  const lines = [
    { method: 'item/completed', params: { item: { type: 'agentMessage', id: 'm', text: 'I look first.' } } },
    { method: 'error', params: { error: { message: 'no model' } } },
  ];
  const stdout = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const TEXT = 'I look first.\n\nerror: no model\n';

  it('in a result without a final message', async () => {
    const result = await resultWith({ agent: 'codex', stdout, stderr: 'noise' });
    expect(result).toMatchObject({ output: TEXT, answer_truncated: false });
    expect(result).not.toHaveProperty('stderr');
  });

  it('in its log, unless a stream, an offset or a limit is given', async () => {
    service.answers['GET /jobs/job_1'] = { ...JOB, agent: 'codex' };
    service.answers['GET /jobs/job_1/logs'] = {
      ...JOB,
      stdout,
      stderr: '',
      stdout_truncated: false,
      next_offset: null,
    };
    expect((await call('job_logs', { id: ID })).fields).toEqual({ ...JOB, output: TEXT, output_truncated: false });
    expect((await call('job_logs', { id: ID, stream: 'stdout' })).fields).toMatchObject({ stdout });
  });

  it('of its end, if it is long', async () => {
    service.answers['GET /jobs/job_1'] = { ...JOB, agent: 'codex' };
    const long = `cut line\n${stdout.repeat(500)}`;
    service.answers['GET /jobs/job_1/logs'] = { ...JOB, stdout: long, stdout_truncated: true };
    const answer = await call('job_logs', { id: ID });
    expect(bytesOf(answer)).toBeLessThanOrEqual(8_000);
    expect(answer.fields).toMatchObject({
      output: expect.stringMatching(/error: no model\n$/),
      output_truncated: true,
    });
  });
});

describe('questions come in answers of at most 8,000 bytes', () => {
  const longest = (at: number) => ({
    ...{ ...OPEN, id: `q_${at}`, state: 'answered', question: '"'.repeat(2_048), default: 'ü'.repeat(1_024) },
    ...{ options: Array.from({ length: 10 }, () => 'o'.repeat(200)), answer: '\u0001'.repeat(16 * 1024) },
  });
  const read = async (args: object) => {
    const answer = await call('list_questions', { id: ID, ...args });
    return { bytes: bytesOf(answer), message: answer.message, ...(answer.fields as { items: object[] }) };
  };

  it('with cut texts, if a question alone is longer, and whole if the caller gives a limit', async () => {
    const items = [1, 2].map(longest);
    service.answers['GET /jobs/job_1/questions'] = { items };
    const short = await read({});
    expect(short).toMatchObject({ items: [{ id: 'q_1', answer: expect.stringMatching(/…$/) }], next_offset: 1 });
    expect(short.bytes).toBeLessThanOrEqual(8_000);
    expect(short.message).toContain('give limit 1');
    expect(await read({ offset: 1 })).toMatchObject({ items: [{ id: 'q_2' }], next_offset: null });
    service.answers['GET /jobs/job_1/questions'] = { items: items.map((item) => ({ ...item, answer: 'a' })) };
    expect(await read({ limit: 2 })).toMatchObject({ items: items.map(({ id }) => ({ id, answer: 'a' })) });
  });

  it('as many as fit, none of them cut', async () => {
    const items = Array.from({ length: 20 }, (_, at) => ({ ...OPEN, id: `q_${at}`, question: 'ü'.repeat(300) }));
    service.answers['GET /jobs/job_1/questions'] = { items };
    const read_ids: string[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const part = (await read({ offset })) as unknown as { bytes: number; items: typeof items; next_offset: number };
      expect(part.bytes).toBeLessThanOrEqual(8_000);
      read_ids.push(...part.items.map(({ id }) => id));
      offset = part.next_offset;
    }
    expect(read_ids).toEqual(items.map(({ id }) => id));
  });
});

describe('templates come in answers of at most 8,000 bytes', () => {
  const parameter = (name: string, more: object = {}) => ({
    ...{ name, type: 'string', required: true, pattern: null, values: null },
    ...{ description: null, ...more },
  });
  const template = (name: string, parameters: object[] = [parameter('package')], more: object = {}) => ({
    ...{ name, version: 3, description: 'Upgrades a package.', parameters, prompt: 'Upgrade {{package}}.', ...more },
  });
  const read = async (args: object) => {
    const answer = await call('list_templates', args);
    expect(bytesOf(answer)).toBeLessThanOrEqual('limit' in args ? 100_000 : 8_000);
    const fields = answer.fields as { items: { name: string; parameters: object[] }[]; next_cursor: string | null };
    return { message: answer.message, ...fields };
  };
  const serve = (items: readonly object[]) => {
    service.answers['GET /templates'] = (query) => {
      const from = Number(query.cursor ?? 0);
      const end = from + Number(query.limit);
      return { items: items.slice(from, end), next_cursor: end < items.length ? String(end) : null };
    };
  };

  it('with what a value needs, and without the prompt', async () => {
    const choice = parameter('level', { type: 'enum', values: ['low', 'high'], required: false, default: 'low' });
    serve([template('upgrade', [parameter('package', { pattern: '[a-z]+' }), choice])]);
    expect((await read({})).items).toEqual([
      {
        ...{ name: 'upgrade', version: 3, description: 'Upgrades a package.' },
        parameters: [
          { name: 'package', type: 'string', required: true, pattern: '[a-z]+' },
          { name: 'level', type: 'enum', required: false, default: 'low', values: ['low', 'high'] },
        ],
      },
    ]);
  });

  it('in pages', async () => {
    const items = Array.from({ length: 60 }, (_, at) =>
      template(`t${at}`, undefined, { description: 'ü'.repeat(100) }),
    );
    serve(items);
    const found: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const list = await read({ cursor });
      found.push(...list.items.map(({ name }) => name));
      cursor = list.next_cursor;
    }
    expect(found).toEqual(items.map(({ name }) => name));
  });

  it('with cut texts, if one alone is longer, unless the caller gives a limit', async () => {
    const long = { description: 'd'.repeat(500), default: 'ü'.repeat(900), example: '"'.repeat(900) };
    const values = Array.from({ length: 60 }, (_, at) => `${'v'.repeat(190)}${at}`);
    const text = [parameter('p', long), parameter('e', { type: 'enum', values, description: 'd'.repeat(500) })];
    serve([template('a', text), template('b', text)]);
    const first = await read({});
    expect(first).toMatchObject({
      items: [{ name: 'a', parameters: [{ name: 'p' }, { name: 'e' }] }],
      next_cursor: '1',
    });
    expect(first.message).toContain('give a limit');
    expect(await read({ limit: 2 })).toMatchObject({ items: [{ name: 'a', parameters: [long, { values }] }, {}] });
    const many = Array.from({ length: 50 }, (_, at) => parameter(`${'p'.repeat(38)}${at}`, long));
    serve([template('c', many)]);
    const [cut] = (await read({})).items;
    expect(cut).toMatchObject({ name: 'c', parameters_total: 50 });
    expect(cut?.parameters.length).toBeGreaterThan(20);
  });

  it('one with its prompt, which is cut too', async () => {
    service.answers['GET /templates/upgrade'] = template('upgrade');
    expect(await read({ name: 'upgrade' })).toMatchObject({ items: [{ prompt: 'Upgrade {{package}}.' }] });
    service.answers['GET /templates/upgrade'] = template('upgrade', [], { prompt: '"'.repeat(40_000) });
    expect((await read({ name: 'upgrade' })).message).toContain('give a limit');
  });
});

it('what a job was asked to do comes in at most 8,000 bytes, and more if the caller gives a limit', async () => {
  const template = { name: 'upgrade', version: 3, parameters: { package: 'zod', major: 4, notes: 'ü'.repeat(9_000) } };
  const asked = { title: 'T', prompt: '"'.repeat(9_000), extra_prompt: null, template, tags: ['a'] };
  service.answers['GET /jobs/job_1'] = { ...JOB, ...asked };
  const answer = await call('read_job', { id: ID });
  expect(bytesOf(answer)).toBeLessThanOrEqual(8_000);
  expect(answer).toMatchObject({
    message: expect.stringContaining('give a limit'),
    fields: { title: 'T', template: { version: 3, parameters: { package: 'zod', major: 4 } } },
  });
  expect((await call('read_job', { id: ID, limit: 10_000 })).fields).toMatchObject(asked);
  service.answers['GET /jobs/job_1'] = { ...JOB, ...asked, prompt: 'short', template: null };
  expect((await call('read_job', { id: ID })).fields).toMatchObject({ prompt: 'short', template: null });
});

it('profiles come in pages of at most 8,000 bytes', async () => {
  const items = Array.from({ length: 50 }, (_, at) => ({
    name: `${'of-a-long-name-'.repeat(3)}${at}`,
    agent: 'shell',
  }));
  // A page of the route, whose cursor is where the next one begins.
  service.answers['GET /profiles'] = (query) => {
    const from = Number(query.cursor ?? 0);
    const end = from + Number(query.limit);
    return { items: items.slice(from, end), next_cursor: end < items.length ? String(end) : null };
  };
  const found: unknown[] = [];
  for (let cursor: unknown; cursor !== null; ) {
    const answer = await call('list_profiles', { cursor });
    expect(bytesOf(answer)).toBeLessThanOrEqual(8_000);
    const fields = answer.fields as { items: { name: string }[]; next_cursor: string | null };
    found.push(...fields.items.map(({ name }) => name));
    cursor = fields.next_cursor;
  }
  expect(found).toEqual(items.map(({ name }) => name));
});

describe('an answer has at most 100,000 bytes in both copies, and the next call reads on', () => {
  const read = async (name: keyof typeof TOOL_CALLS, args: object) => {
    const answer = await call(name, { id: ID, ...args });
    expect(bytesOf(answer)).toBeLessThanOrEqual(100_000);
    return answer.fields as Record<string, unknown> & { items: object[] };
  };
  // What JSON makes thirteen characters of, in both copies.
  const text = '\u0001'.repeat(40_000);

  it('a final message', async () => {
    const attachments = Array.from({ length: 50 }, () => 'ü'.repeat(512));
    service.answers['GET /jobs/job_1/result'] = { ...RESULT, final_message: text, attachments };
    let message = '';
    for (let offset: unknown = 0; offset !== null; ) {
      const fields = await read('job_result', { message_offset: offset });
      message += String(fields.final_message);
      offset = fields.next_message_offset;
    }
    expect(message).toBe(text);
  });
});
