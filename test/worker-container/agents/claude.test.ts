import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentFacts } from '../../../lib/vendors/output/agent-output.ts';
import type { AgentRun } from '../../../worker-container/agents/agent.ts';
import { claude } from '../../../worker-container/agents/claude.ts';
import { endTree, findMarked, spawnTree } from '../../../worker-container/commands/process-tree.ts';
import { startDrive } from '../../../worker-container/drives/drive.ts';
import { amount } from '../../vitest/amount.ts';
import { claudeRuns } from './claude-runs.ts';
import { textsOf } from './practice-messages.ts';
import { fileAppears, makeAttempt, runAgent, startAgent } from './run-agent.ts';

const { vendor, run } = claudeRuns();

/** The same with an account of the vendor itself, as the token of a subscription. */
function subscribed(prompt: string): Partial<AgentRun> {
  const env = { ANTHROPIC_BASE_URL: vendor().baseUrl, CLAUDE_CODE_OAUTH_TOKEN: vendor().apiKey };
  return run({ prompt, env, vendor: undefined });
}

test('a plain prompt ends with a session, usage, its cost and a final message', async () => {
  const prompt = 'Say "hällo" to 日本 😀\nin two lines';
  const end = await runAgent(claude, run({ prompt, model: 'claude-of-my-own' }));
  expect(end).toMatchObject({ exitCode: 0, facts: { finished: true, finalMessage: `You said:\n${prompt}` } });
  expect(end.facts.sessionId).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  expect(end.facts.usage).toEqual({
    input_tokens: 150,
    cached_input_tokens: 30,
    output_tokens: 9,
    reasoning_output_tokens: 0,
    cost_usd: expect.any(Number),
  });
  expect(end.facts.usage?.cost_usd).toBeGreaterThan(0);
  expect(end.facts).not.toHaveProperty('error');
  expect(end.facts).not.toHaveProperty('park');
  const request = vendor().requests.find((candidate) => textsOf(candidate).includes('日本'));
  expect(request?.model).toBe('claude-of-my-own');
  // No tool is offered that would continue after the result.
  const bash = request?.tools?.find(({ name }) => name === 'Bash');
  expect(Object.keys(bash?.input_schema.properties ?? {})).toContain('command');
  expect(Object.keys(bash?.input_schema.properties ?? {})).not.toContain('run_in_background');
  // Claude shows the model some of its tools only on a search for them, but its event `init` names all.
  const init = end.stdout.split('\n').find((line) => line.includes('"subtype":"init"'));
  const names: string[] = JSON.parse(init ?? '').tools;
  expect(names).toContain('Bash');
  expect(names.filter((name) => name === 'ScheduleWakeup' || name.startsWith('Cron'))).toEqual([]);
});

test.for(amount<('auto' | 'exec')[]>(['auto'], ['auto', 'exec']))(
  'a long prompt that begins like a command of claude reaches the model whole (drive: %s)',
  async (drive) => {
    const prompt = `/clear ${'😀'.repeat(262_144)}\u2028\r\nlast`;
    expect((await runAgent(claude, run({ prompt, drive }))).facts.finalMessage).toBe(`You said:\n\n${prompt}`);
  },
);

test('a tool has the mark and no secret, writes anywhere, and finds all files of claude in the attempt', async () => {
  const secrets = { MY_TOKEN: 'hidden-1', my_secret_word: 'hidden-2', API_KEY: 'hidden-3', DB_PASSWORD: 'hidden-4' };
  const script = 'env; echo written > here.txt; echo written > ../there.txt; echo $CLAUDE_CODE_MESSAGING_SOCKET';
  const env = { ...secrets, TZ: 'Asia/Tokyo' };
  const { attempt, ended } = await startAgent(
    claude,
    run({ prompt: `drill: tool ${script}`, env, hidden: Object.keys(secrets) }),
  );
  const { exitCode, facts } = await ended;
  expect(exitCode).toBe(0);
  const seen = facts.finalMessage?.split('\n');
  expect(seen).toContain(`PROMPTQ_ATTEMPT=${attempt.env.PROMPTQ_ATTEMPT}`);
  expect(seen).toContain('TZ=Asia/Tokyo');
  expect(seen?.filter((line) => line.includes('hidden') || line.includes(vendor().apiKey))).toEqual([]);
  for (const path of ['here.txt', '../there.txt'])
    expect(await readFile(join(attempt.cwd, path), 'utf8')).toBe('written\n');
  expect(seen?.at(-1)).toContain(attempt.attemptDir);
  expect(await readdir(join(attempt.attemptDir, 'claude-home'))).toContain('projects');
  expect(await readdir(attempt.cwd)).toEqual(['here.txt']);
  expect(await readdir(attempt.env.HOME ?? '')).toEqual(['attempt', 'cwd', 'there.txt']);
});

test('under the sandbox read-only a tool reads and cannot write', async () => {
  const attempt = await makeAttempt(run({ prompt: '', sandbox: 'read-only' }));
  await writeFile(join(attempt.cwd, 'old.txt'), 'as it was\n');
  const prompt = 'drill: tool cat old.txt\ndrill: tool echo new > new.txt';
  const { facts } = await runAgent(claude, { ...attempt, prompt });
  expect(facts.finalMessage).toContain('as it was');
  expect(facts.finalMessage).toContain('denied');
  expect(await readdir(attempt.cwd)).toEqual(['old.txt']);
  const offered = vendor()
    .requests.at(-1)
    ?.tools?.map(({ name }) => name);
  expect(offered).toContain('Read');
  expect(offered?.filter((name) => ['Write', 'Edit', 'NotebookEdit', 'ScheduleWakeup'].includes(name))).toEqual([]);
});

test('the working folder instructs the model but does not set claude up', async () => {
  const attempt = await makeAttempt(run({ prompt: 'read the instructions' }));
  await writeFile(join(attempt.cwd, 'CLAUDE.md'), 'Mind the word xylophone.\n');
  await mkdir(join(attempt.cwd, '.claude'));
  const settings = { env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }, model: 'planted' };
  await writeFile(join(attempt.cwd, '.claude/settings.json'), JSON.stringify(settings));
  const end = await runAgent(claude, attempt);
  expect(end.facts.finalMessage).toContain('read the instructions');
  const request = vendor().requests.find((candidate) => textsOf(candidate).includes('read the instructions'));
  expect(request === undefined ? '' : textsOf(request)).toContain('xylophone');
  expect(request?.model).not.toBe('planted');
});

test("the vendor's failure is the error, in its own words", async () => {
  for (const status of amount([400], [400, 503])) {
    const { exitCode, facts } = await runAgent(claude, run({ prompt: `drill: fail ${status}` }));
    expect(exitCode).toBe(1);
    expect(facts.error).toMatch(new RegExp(`^API Error: ${status} The stand-in fails as asked \\(${status}\\)`));
    expect(facts).toMatchObject({ finished: true });
    expect(facts.refused ?? facts.park?.reason).toBe(status === 400 ? 'conversation' : 'vendor_overloaded');
  }
});

test('a plain rate limit is an overload', async () => {
  const { facts } = await runAgent(claude, run({ prompt: 'drill: fail 429' }));
  expect(facts.error).toContain('429');
  expect(facts.park).toEqual({ reason: 'vendor_overloaded' });
});

test.for(amount([90], [90, 200_000]))("a subscription's limit of %i s parks the job until then", async (seconds) => {
  const before = Date.now() + seconds * 1_000;
  const { facts } = await runAgent(claude, subscribed(`drill: usage-limit ${seconds}`));
  const after = Date.now() + seconds * 1_000;
  expect(facts).toMatchObject({ park: { reason: 'usage_limit' }, error: expect.stringContaining("You've hit your") });
  const until = Date.parse(facts.park?.until ?? '');
  expect(until).toBeGreaterThanOrEqual(before);
  expect(until).toBeLessThanOrEqual(after + 1_000);
});

test('a missing login, a used-up login and a wrong key park the job until an account is linked', async () => {
  const nobody = await runAgent(claude, run({ prompt: 'hello', vendor: undefined }));
  const usedUp = await runAgent(claude, subscribed('drill: not-logged-in'));
  const wrong = await runAgent(claude, run({ prompt: 'hello', vendor: { ...vendor(), apiKey: 'wrong' } }));
  expect([nobody, usedUp, wrong].map(({ facts }) => facts.park)).toEqual(Array(3).fill({ reason: 'account_required' }));
  expect(nobody.facts.error).toContain('Not logged in');
  expect(usedUp.facts.error).toContain('401');
  expect(wrong.facts.error).toContain('Invalid API key');
});

test.for(amount([{ kill: false }], [{ kill: false }, { kill: true }]))(
  'nothing is left of claude and its tools (kill: $kill)',
  async ({ kill }) => {
    const attempt = await makeAttempt(run({ prompt: 'drill: tool (setsid sleep 300 &); touch up; sleep 300' }));
    const mark = `test-${randomUUID()}`;
    const prepared = await claude.prepare(attempt);
    const tree = await spawnTree({ ...prepared, stdin: undefined, cwd: attempt.cwd, mark, account: undefined });
    const drive = startDrive(prepared.drive, tree.stdin, () => {});
    tree.stdout.on('data', (chunk: Buffer) => drive?.push(chunk));
    tree.stderr.resume();
    await fileAppears(join(attempt.cwd, 'up'));
    await expect.poll(() => findMarked(mark).length).toBeGreaterThanOrEqual(3);
    const killed = await endTree({ child: tree, mark, politeSignal: claude.politeSignal, kill });
    expect(findMarked(mark)).toEqual([]);
    // After the polite signal, all of them exit.
    if (!kill) expect(killed).toBe(0);
    expect(await tree.exited).toEqual(kill ? { exitCode: null, signal: 'SIGKILL' } : { exitCode: 143, signal: null });
  },
);

test('an interrupted run is no success, although claude exits with 0', async () => {
  const { attempt, child, ended } = await startAgent(claude, run({ prompt: 'drill: tool touch up; sleep 300' }));
  await fileAppears(join(attempt.cwd, 'up'));
  child.kill('SIGINT');
  const end = await ended;
  expect(end.exitCode).toBe(0);
  expect(end.facts.error).toBeDefined();
});

test('what stops claude from starting is the error', async () => {
  const flag = await runAgent(claude, run({ prompt: 'hello', args: ['--no-such-flag'] }));
  expect(flag).toMatchObject({ exitCode: 1, facts: { finished: false, error: "unknown option '--no-such-flag'" } });
});

test('an exit without a result is explained by stderr, and never a success', () => {
  function conclude(stderrTail: string, exitCode: number | null, facts: AgentFacts = { finished: false }) {
    return claude.conclude(facts, { exitCode, signal: exitCode === null ? 'SIGKILL' : null, stderrTail });
  }
  expect(conclude('', 0)).toEqual({ finished: false, error: 'claude exited without a result' });
  expect(conclude('chatter\n', 0, { finished: true })).toEqual({ finished: true });
  expect(conclude('\u001b[31mNot logged in\u001b[0m\n', 1)).toMatchObject({ park: { reason: 'account_required' } });
  expect(conclude('Error: first\n  more\n', 1)).toEqual({ finished: false, error: 'first' });
  expect(conclude('\n', 1)).toEqual({ finished: false });
  expect(conclude('Error: first', null)).toEqual({ finished: false });
  expect(conclude('Error: late', 1, { finished: true, error: 'said' })).toEqual({ finished: true, error: 'said' });
});

test('the binary can be given, is not passed on, and must be there', async () => {
  const given = await claude.prepare(await makeAttempt({ env: { PROMPTQ_CLAUDE_BIN: process.execPath } }));
  expect(given.command).toBe(process.execPath);
  expect(given.env).not.toHaveProperty('PROMPTQ_CLAUDE_BIN');
  const missing = await makeAttempt({ env: { PROMPTQ_CLAUDE_BIN: '/no/such/claude' } });
  await expect(claude.prepare(missing)).rejects.toThrow(
    /named by PROMPTQ_CLAUDE_BIN can't be executed: \/no\/such\/claude/,
  );
});

test('an account for the vendor itself is sent to no other vendor', async () => {
  const account = { ANTHROPIC_API_KEY: 'real-1', CLAUDE_CODE_OAUTH_TOKEN: 'real-2', ANTHROPIC_AUTH_TOKEN: 'real-3' };
  const own = await claude.prepare(await makeAttempt(run({ prompt: '', env: account, vendor: undefined })));
  expect(own.env).toMatchObject(account);
  const other = { baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'practice' };
  const { env } = await claude.prepare(await makeAttempt(run({ prompt: '', env: account, vendor: other })));
  expect(env).toMatchObject({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:1', ANTHROPIC_API_KEY: 'practice' });
  expect(Object.values(env).filter((value) => value.startsWith('real-'))).toEqual([]);
});

test.each([
  [{ timeoutMs: 600_000 }, '600000'],
  [{}, '86400000'],
  [{ timeoutMs: 600_000, env: { BASH_DEFAULT_TIMEOUT_MS: '5', BASH_MAX_TIMEOUT_MS: '5' } }, '5'],
])("its commands have the time of the job, or the profile's: %j", async (differing, time) => {
  const { env } = await claude.prepare(await makeAttempt(run({ prompt: '', ...differing })));
  expect(env).toMatchObject({ BASH_DEFAULT_TIMEOUT_MS: time, BASH_MAX_TIMEOUT_MS: time });
});
