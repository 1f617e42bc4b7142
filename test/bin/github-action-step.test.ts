import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';

vi.mock('node:child_process', () => ({ spawnSync: vi.fn() }));

const temp = mkdtempSync(join(tmpdir(), 'promptq-step-'));
const [outputs, summary] = [join(temp, 'outputs'), join(temp, 'summary')];
afterAll(() => rmSync(temp, { recursive: true, force: true }));

/** What the installed command prints, as it was given its arguments, or its exit code. */
type Printed = Readonly<Record<string, object | string | number>>;

const CALLER = { kind: 'token', scopes_enforced: true, scopes: ['write', 'read', 'logs'] };
const RESULT = {
  ...{ id: 'j', status: 'SUCCEEDED', state_reason: { message: 'It has *ended*\n<b>.' }, exit_code: 0 },
  ...{ usage: { input_tokens: 1, output_tokens: 2 }, final_message: 'Hello' },
};
const USAGE = { total_usage: { input_tokens: 10, output_tokens: 20 }, usage: RESULT.usage };
const PRINTED: Printed = {
  'api GET /session': CALLER,
  'run --detach --json --file=-': { id: 'j', url: 'https://a.example/jobs/j' },
  'wait --json j': { status: 'SUCCEEDED' },
  'api GET /jobs/j/result': RESULT,
  'api GET /jobs/j': USAGE,
};

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
afterEach(() => {
  process.exitCode = undefined;
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Runs the step with the answers of an installed command, and inputs. */
async function step(printed: Printed = PRINTED, inputs: Readonly<Record<string, string>> = { INPUT_PROMPT: 'x' }) {
  for (const file of [outputs, summary]) writeFileSync(file, '');
  const env = { RUNNER_TEMP: '/runner', PROMPTQ_TOKEN: 'pq_x', GITHUB_OUTPUT: outputs, GITHUB_STEP_SUMMARY: summary };
  for (const [name, value] of Object.entries({ ...env, ...inputs })) vi.stubEnv(name, value);
  const commands: string[] = [];
  const given: unknown[] = [];
  vi.mocked(spawnSync).mockImplementation(((program: string, args: string[], { input }: { input: string }) => {
    const line = args.join(' ');
    commands.push(line);
    given.push(program, input);
    const found = printed[line] ?? 70;
    if (typeof found === 'number') return { status: found, stdout: '' };
    return { status: 0, stdout: typeof found === 'string' ? found : JSON.stringify(found) };
  }) as unknown as typeof spawnSync);
  vi.resetModules();
  await import('../../bin/github-action.ts');
  const set = readFileSync(outputs, 'utf8').matchAll(/^([\w-]+)<<(.+)\n([\s\S]*?)\n\2\n/gm);
  return {
    code: process.exitCode,
    commands,
    given,
    log: vi.mocked(console.log).mock.calls.join('\n'),
    errors: vi.mocked(console.error).mock.calls.join('\n'),
    outputs: Object.fromEntries([...set].map(([, name, , value]) => [name, value])),
    summary: readFileSync(summary, 'utf8'),
  };
}

it('creates a job, waits for it, and reports it', async () => {
  const { given, log, ...reported } = await step();
  expect(reported).toEqual({
    code: 0,
    commands: Object.keys(PRINTED),
    errors: '',
    outputs: { 'job-id': 'j', url: 'https://a.example/jobs/j', status: 'SUCCEEDED' },
    summary: [
      '| Promptq job | |',
      '| --- | --- |',
      String.raw`| status | SUCCEEDED: It has \*ended\* \<b\>. |`,
      '| job | [j](https://a.example/jobs/j) |',
      '| exit code | 0 |',
      '| tokens | 10 in, 20 out |',
      '',
      '```text\nHello\n```\n\n',
    ].join('\n'),
  });
  expect(given.slice(0, 4)).toEqual([
    '/runner/promptq/node_modules/.bin/promptq',
    '',
    '/runner/promptq/node_modules/.bin/promptq',
    'x',
  ]);
  // Progress and errors go to the log of the step, and an output of any length is read.
  expect(vi.mocked(spawnSync).mock.lastCall?.[2]).toMatchObject({
    stdio: ['pipe', 'pipe', 'inherit'],
    maxBuffer: Number.POSITIVE_INFINITY,
  });
  expect(log).toMatch(/^::add-mask::pq_x\n::stop-commands::([\da-f-]{36})\n::\1::$/);
});

it('passes on each input that is given', async () => {
  const inputs = {
    ...{ INPUT_PROMPT_FILE: 'f', INPUT_PROFILE: 'p', INPUT_PROJECT: 'q', INPUT_MODEL: 'm', INPUT_TIMEOUT: '1' },
    ...{ INPUT_IDEMPOTENCY_KEY: 'k', INPUT_WAIT_TIMEOUT: '2' },
  };
  const run = 'run --detach --json --file=f --profile=p --project=q --model=m --attempt-timeout=1 --idempotency-key=k';
  const { commands } = await step({ ...PRINTED, [run]: { id: 'j', url: null } }, inputs);
  expect(commands.slice(1, 3)).toEqual([run, 'wait --json --timeout=2 j']);
});

it('reports a job without an address, a message, an exit code or a known usage', async () => {
  const { outputs: set, summary: text } = await step({
    ...PRINTED,
    'run --detach --json --file=-': { id: 'j', url: null },
    'api GET /jobs/j/result': { ...RESULT, exit_code: null, usage: null, final_message: null },
    'api GET /jobs/j': 1,
  });
  expect(set).toMatchObject({ url: '' });
  expect(text.split('\n').slice(3)).toEqual(['| job | j |', '| exit code | none |', '| tokens | unknown |', '', '']);
});

it.each<[string, object | number, string]>([
  ['of all attempts', USAGE, '10 in, 20 out'],
  ['of the last one where that of all is not known', { usage: { input_tokens: 3, output_tokens: 4 } }, '3 in, 4 out'],
  ['of the result where no other is known', {}, '1 in, 2 out'],
  ['of the result where the job may not be read', 5, '1 in, 2 out'],
])('shows the usage %s', async (_, job, tokens) => {
  expect((await step({ ...PRINTED, 'api GET /jobs/j': job })).summary).toContain(`| tokens | ${tokens} |`);
});

it('a message ends no block, and is cut at a length that GitHub takes', async () => {
  const ofMessage = async (final_message: string) =>
    (await step({ ...PRINTED, 'api GET /jobs/j/result': { ...RESULT, final_message } })).summary.split('\n\n')[1];
  expect(await ofMessage('`````\nx')).toBe('``````text\n`````\nx\n``````');
  expect((await ofMessage('x'.repeat(200_001)))?.replaceAll(/x+/g, (text) => `${text.length}`)).toBe(
    '```te1t\n200000\n```',
  );
});

it('the end of the job decides how the step ends, whether its result can be read or not', async () => {
  const failed = await step({ ...PRINTED, 'wait --json j': 1 });
  expect([failed.code, failed.outputs.status]).toEqual([1, 'SUCCEEDED']);
  const unread = await step({ ...PRINTED, 'api GET /jobs/j/result': 5 });
  expect([unread.code, unread.outputs.status, unread.summary]).toEqual([0, 'SUCCEEDED', '']);
  const unknown = await step({ ...PRINTED, 'wait --json j': 7, 'api GET /jobs/j/result': 5 });
  expect([unknown.code, unknown.outputs]).toEqual([7, { 'job-id': 'j', url: 'https://a.example/jobs/j' }]);
});

it('reports nothing where GitHub gives no files, and masks no token where there is none', async () => {
  const nowhere = { PROMPTQ_TOKEN: '', GITHUB_OUTPUT: '', GITHUB_STEP_SUMMARY: '' };
  const { code, outputs: set, summary: text, log, commands } = await step(PRINTED, { INPUT_PROMPT: 'x', ...nowhere });
  expect([code, set, text, commands.length]).toEqual([0, {}, '', 4]);
  expect(log).toMatch(/^::stop-commands::/);
});

const NO_SERVICE = 'the address answers, but is not that of a Promptq service; nothing was created';

it.each<[string, Printed, Readonly<Record<string, string>>, number, string]>([
  ['without a prompt', PRINTED, {}, 2, 'give prompt or prompt-file, and not both'],
  ['with two', PRINTED, { INPUT_PROMPT: 'x', INPUT_PROMPT_FILE: 'f' }, 2, 'give prompt or prompt-file, and not both'],
  ['if the service cannot be asked', { 'api GET /session': 6 }, { INPUT_PROMPT: 'x' }, 6, ''],
  ['at the page of a proxy', { 'api GET /session': '<p>' }, { INPUT_PROMPT: 'x' }, 6, NO_SERVICE],
  ['at another service', { 'api GET /session': 'null' }, { INPUT_PROMPT: 'x' }, 6, NO_SERVICE],
  [
    'with a token that could not wait for it',
    { 'api GET /session': { ...CALLER, scopes: [] } },
    { INPUT_PROMPT: 'x' },
    5,
    'the token lacks the scopes write, read, logs; nothing was created',
  ],
  ['that is refused', { 'api GET /session': CALLER }, { INPUT_PROMPT: 'x' }, 70, ''],
])('creates no job %s', async (_, printed, inputs, code, message) => {
  const ended = await step(printed, inputs);
  expect([ended.code, ended.errors, ended.outputs, ended.summary]).toEqual([code, message, {}, '']);
  expect(ended.log).toMatch(/::stop-commands::(\S+)\n::\1::$/);
});

it('a command that cannot be run ends the step, and GitHub takes commands again', async () => {
  const error = new Error('spawnSync promptq ENOENT');
  vi.stubEnv('INPUT_PROMPT', 'x');
  vi.mocked(spawnSync).mockReturnValue({ status: null, stdout: '', error } as ReturnType<typeof spawnSync>);
  vi.resetModules();
  await expect(import('../../bin/github-action.ts')).rejects.toThrow(error);
  vi.mocked(spawnSync).mockReturnValue({ status: null, stdout: '' } as ReturnType<typeof spawnSync>);
  vi.resetModules();
  await import('../../bin/github-action.ts');
  expect(process.exitCode).toBe(70);
  expect(vi.mocked(console.log).mock.lastCall?.[0]).toMatch(/^::[\da-f-]{36}::$/);
});
