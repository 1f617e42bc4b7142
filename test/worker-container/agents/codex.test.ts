import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AGENT_DEFINITIONS } from '../../../lib/contract/agents.ts';
import { type PracticeVendor, startPracticeVendor } from '../../../lib/local/practice-vendor/practice-vendor.ts';
import type { AgentFacts } from '../../../lib/vendors/output/agent-output.ts';
import { codex } from '../../../worker-container/agents/codex.ts';
import { makeAttempt, runAgent, startAgent } from './run-agent.ts';

let vendor: PracticeVendor;
beforeAll(async () => {
  vendor = await startPracticeVendor();
});
afterAll(() => vendor.close());

test('a plain prompt ends with a session, usage and a final message', async () => {
  const end = await runAgent(codex, { vendor, prompt: 'Say "hällo" to 日本 😀\nin two lines' });
  expect(end).toMatchObject({ exitCode: 0, facts: { finished: true } });
  expect(end.facts.finalMessage).toContain('Say "hällo" to 日本 😀\nin two lines');
  expect(end.facts.sessionId).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  expect(end.facts.usage?.input_tokens).toBeGreaterThan(0);
  expect(end.facts).not.toHaveProperty('error');
  expect(end.facts).not.toHaveProperty('park');
});

test('the longest prompt is read completely, a longer one is rejected with a reason', async () => {
  const filler = 'é"\\\n'.repeat(300_000);
  const drill = '\ndrill: tool echo read';
  const prompt = filler.slice(0, AGENT_DEFINITIONS.codex.maxPromptLength - drill.length) + drill;
  const longest = await runAgent(codex, { vendor, prompt });
  expect(longest.facts.finalMessage).toContain('\nread');
  const longer = await runAgent(codex, { vendor, prompt: `${prompt}!` });
  expect(longer.facts.error).toContain('exceeds the maximum length of 1048576');
});

test('a tool cannot write into cwd under the sandbox read-only', async () => {
  const run = await startAgent(codex, { vendor, sandbox: 'read-only', prompt: 'drill: tool echo written > here.txt' });
  expect((await run.ended).exitCode).toBe(0);
  expect(await readdir(run.attempt.cwd)).toEqual([]);
});

test.for(['none', 'workspace-write'] as const)(
  'a tool under the sandbox %s writes into cwd, has the mark and no secret, and runs no profile file of the account',
  async (sandbox) => {
    const home = await mkdtemp(join(tmpdir(), 'promptq-home-'));
    const mark = join(home, 'profile-was-run');
    await writeFile(join(home, '.bash_profile'), `echo profile > "${mark}"; echo the profile was run\n`);
    const secrets = { MY_TOKEN: 'hidden-1', my_secret_word: 'hidden-2', API_KEY: 'hidden-3', DB_PASSWORD: 'hidden-4' };
    const env = { ...secrets, HOME: home, TZ: 'Asia/Tokyo' };
    const prompt = `drill: tool echo written > here.txt; cat /proc/self/environ | tr '\\0' '\\n'`;
    const run = await startAgent(codex, { vendor, sandbox, env, prompt, hidden: Object.keys(secrets) });
    const end = await run.ended;
    expect(end.exitCode).toBe(0);
    expect(await readFile(join(run.attempt.cwd, 'here.txt'), 'utf8')).toBe('written\n');
    const seen = end.facts.finalMessage?.split('\n');
    expect(seen).toContain(`PROMPTQ_ATTEMPT=${run.attempt.env.PROMPTQ_ATTEMPT}`);
    expect(seen).toContain('TZ=Asia/Tokyo');
    expect(seen?.filter((line) => line.includes('hidden') || line.includes(vendor.apiKey))).toEqual([]);
    expect(seen).not.toContain('the profile was run');
    expect(await readdir(home)).not.toContain('profile-was-run');
    await rm(home, { recursive: true, force: true });
  },
);

test('an error of the vendor is the error, with its own message if codex passes it on', async () => {
  const bad = await runAgent(codex, { vendor, prompt: 'drill: fail 400' });
  expect(bad).toMatchObject({
    facts: { finished: true, error: 'The practice vendor fails as asked (400)' },
  });
  const busy = await runAgent(codex, { vendor, prompt: 'drill: fail 503' });
  expect(busy.facts.error).toMatch(/503 .*The practice vendor fails as asked \(503\)/);
  const broken = await runAgent(codex, { vendor, prompt: 'drill: fail 500' });
  expect(broken.facts).toMatchObject({ finished: true, error: expect.stringContaining('temporary errors') });
  const found = [bad, busy, broken].map(({ facts }) => facts.refused ?? facts.park?.reason);
  expect(found).toEqual(['conversation', 'vendor_overloaded', undefined]);
});

test('a plain rate limit is an overload', async () => {
  const { facts } = await runAgent(codex, { vendor, prompt: 'drill: fail 429' });
  expect(facts.error).toContain('429');
  expect(facts.park).toEqual({ reason: 'vendor_overloaded' });
});

test.for([90, 200_000])('a usage limit of %i s parks the job until then', async (seconds) => {
  const before = Date.now() + seconds * 1_000;
  const { facts } = await runAgent(codex, { vendor, prompt: `drill: usage-limit ${seconds}` });
  const after = Date.now() + seconds * 1_000;
  expect(facts).toMatchObject({ park: { reason: 'usage_limit' }, error: expect.stringContaining('usage limit') });
  const until = Date.parse(facts.park?.until ?? '');
  expect(until).toBeGreaterThanOrEqual(before);
  expect(until).toBeLessThanOrEqual(after + 62_000);
});

test('a missing login and a wrong key park the job until an account is linked', async () => {
  const out = await runAgent(codex, { vendor, prompt: 'drill: not-logged-in' });
  expect(out.facts).toMatchObject({ park: { reason: 'account_required' }, error: expect.stringContaining('401') });
  const wrong = await runAgent(codex, { vendor: { ...vendor, apiKey: 'wrong' }, prompt: 'hello' });
  expect(wrong.facts).toMatchObject({
    park: { reason: 'account_required' },
    error: expect.stringContaining('Incorrect API key'),
  });
});

test('what stops codex from starting is the error', async () => {
  const flag = await runAgent(codex, { vendor, prompt: 'hello', args: ['--no-such-flag'] });
  expect(flag).toMatchObject({
    exitCode: 2,
    facts: { finished: false, error: "unexpected argument '--no-such-flag' found" },
  });
  const config = await runAgent(codex, {
    vendor,
    prompt: 'hello',
    args: ['-c', 'model_providers.promptq.wire_api=no'],
  });
  expect(config.facts.error).toMatch(/^unknown variant `no`/);
});

test('stderr explains a bad exit that nothing else explains', () => {
  function conclude(stderrTail: string, exitCode: number | null, facts: AgentFacts = { finished: false }) {
    return codex.conclude(facts, { exitCode, signal: exitCode === null ? 'SIGKILL' : null, stderrTail });
  }
  const loggedOut = { finished: false, error: 'Not logged in', park: { reason: 'account_required' } };
  expect(conclude('WARNING: hm\n\u001b[31mNot logged in\u001b[0m\n', 1)).toEqual(loggedOut);
  const log = '2026-11-20T11:08:10.214285Z ERROR codex_core::session: no disk\nReading prompt from stdin...\n';
  expect(conclude(log, 1)).toEqual({ finished: false, error: 'no disk' });
  expect(conclude('Not logged in', 0)).toEqual({ finished: false });
  expect(conclude('Not logged in', null)).toEqual({ finished: false });
  expect(conclude('Not logged in', 1, { finished: true, error: 'first' })).toEqual({ finished: true, error: 'first' });
  expect(conclude('WARNING: hm\n', 1)).toEqual({ finished: false });
});

test('the polite signal ends a hanging run', async () => {
  // A SIGINT around `turn.started` is swallowed by codex 0.169, so the run must be well past it.
  const run = await startAgent(codex, { vendor, prompt: 'drill: tool touch up\ndrill: hang' });
  await new Promise<void>((resolve) => {
    run.child.stdout.on('data', (chunk: Buffer) => chunk.includes('"exitCode":0') && resolve());
  });
  run.child.kill(codex.politeSignal);
  const end = await run.ended;
  expect(end).toMatchObject({ signal: 'SIGINT', facts: { finished: false } });
});

test('a model and arguments of the profile reach codex', async () => {
  const { args } = await codex.prepare(
    await makeAttempt({ vendor, model: 'other', args: ['-c', 'a=1'], drive: 'exec' }),
  );
  expect(args.join(' ')).toMatch(/ -m other -C \S+ -c a=1 -$/);
});

test('a configuration planted in cwd changes nothing', async () => {
  const attempt = await makeAttempt({});
  const planted = join(attempt.cwd, 'planted');
  const server = `[mcp_servers.x]\ncommand = "/bin/sh"\nargs = ["-c", "touch ${planted}; cat"]\n`;
  await mkdir(join(attempt.cwd, '.codex'));
  await writeFile(join(attempt.cwd, '.codex', 'config.toml'), `model = "planted"\n${server}`);
  const end = await runAgent(codex, { ...attempt, vendor, prompt: 'hello' });
  expect(end.exitCode).toBe(0);
  await expect(access(planted)).rejects.toThrow('ENOENT');
});

test('the binary can be given, is not passed on, and must be there', async () => {
  const env = { PROMPTQ_CODEX_BIN: process.execPath };
  const prepared = await codex.prepare(await makeAttempt({ vendor, env }));
  expect(prepared.command).toBe(process.execPath);
  expect(prepared.env).not.toHaveProperty('PROMPTQ_CODEX_BIN');
  const missing = await makeAttempt({ vendor, env: { PROMPTQ_CODEX_BIN: '/no/such/codex' } });
  await expect(codex.prepare(missing)).rejects.toThrow(
    /named by PROMPTQ_CODEX_BIN can't be executed: \/no\/such\/codex/,
  );
});

test("codex gets a key for the vendor itself under codex's own name, and no other vendor gets it", async () => {
  const env = { OPENAI_API_KEY: 'real-key' };
  const real = await codex.prepare(await makeAttempt({ env }));
  expect(Object.values(real.env)).not.toContain('real-key');
  const byExec = await codex.prepare(await makeAttempt({ env, drive: 'exec' }));
  expect(byExec.env).toMatchObject({ CODEX_API_KEY: 'real-key' });
  const practice = await codex.prepare(await makeAttempt({ env, vendor }));
  expect(Object.values(practice.env)).not.toContain('real-key');
});
