import { access, cp, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type PracticeVendor, startPracticeVendor } from '../../../lib/local/practice-vendor/practice-vendor.ts';
import { claude } from '../../../worker-container/agents/claude.ts';
import { codex } from '../../../worker-container/agents/codex.ts';
import { amount } from '../../vitest/amount.ts';
import { claudeCli, INSTALL_LIMIT } from '../agents/claude-cli.ts';
import { fileAppears, makeAttempt, type RunningAgent, runAgent, startAgent } from '../agents/run-agent.ts';

let vendor: PracticeVendor;
let claudeBinary: string;
beforeAll(async () => {
  vendor = await startPracticeVendor();
  claudeBinary = await claudeCli();
}, INSTALL_LIMIT);
afterAll(() => vendor.close());

const AGENTS = [
  ['codex', codex],
  ['claude', claude],
] as const;

/** A run whose tool waits for a file named `go`. */
async function startWaiting(agent: (typeof AGENTS)[number][1]): Promise<RunningAgent> {
  const prompt = 'drill: tool touch up; while [ ! -e go ]; do sleep 0.05; done; echo went\ndrill: wait 0';
  const run = await startAgent(agent, { vendor, prompt, env: { PROMPTQ_CLAUDE_BIN: claudeBinary } });
  await fileAppears(join(run.attempt.cwd, 'up'));
  return run;
}

test.for(AGENTS)('%s: messages are in the next model request of the same turn, in order', async ([, agent]) => {
  const run = await startWaiting(agent);
  expect(run.drive?.say({ id: 'msg_1', text: 'msg_1: also count to three' })).toBe(true);
  expect(run.drive?.say({ id: 'msg_2', text: 'msg_2: and to four' })).toBe(true);
  await writeFile(join(run.attempt.cwd, 'go'), '');
  const end = await run.ended;
  expect(end).toMatchObject({ exitCode: 0, facts: { finished: true } });
  expect(end.facts.finalMessage).toMatch(/has read:[\s\S]*msg_1: also count to three[\s\S]*msg_2: and to four/);
  expect(run.seen).toEqual(['msg_1', 'msg_2']);
  expect(run.drive?.say({ id: 'msg_3', text: 'too late' })).toBe(false);
});

test('claude: a message that comes with the result gets a turn, whose end is the result', async () => {
  const prompt = 'drill: json {"turn":1}';
  const run = await startAgent(claude, { vendor, prompt, env: { PROMPTQ_CLAUDE_BIN: claudeBinary } });
  run.child.stdout.once('data', () => {
    run.child.stdout.on('data', (chunk: Buffer) => {
      if (chunk.includes('"type":"assistant"')) run.drive?.say({ id: 'msg_1', text: 'drill: json {"turn":2}' });
    });
  });
  const end = await run.ended;
  expect(end).toMatchObject({ exitCode: 0, facts: { finished: true, finalMessage: '{"turn":2}' } });
  expect(run.seen).toContain('msg_1');
});

test.for(AGENTS)('%s: with the drive exec it takes no messages', async ([, agent]) => {
  const env = { PROMPTQ_CLAUDE_BIN: claudeBinary };
  const run = await startAgent(agent, { vendor, drive: 'exec', prompt: 'drill: json {"a":1}', env });
  expect(run.drive).toBeUndefined();
  expect(await run.ended).toMatchObject({ exitCode: 0, facts: { finalMessage: '{"a":1}' } });
});

test.for(AGENTS.slice(0, amount(1, 2)))('%s: half a surrogate pair in a prompt becomes U+FFFD', async ([, agent]) => {
  const env = { PROMPTQ_CLAUDE_BIN: claudeBinary };
  const end = await runAgent(agent, { vendor, prompt: 'half \ud83d of a pair', env });
  expect(end).toMatchObject({ exitCode: 0, facts: { finished: true } });
  expect(end.facts.finalMessage).toContain('half \ufffd of a pair');
});

test('codex: a session is continued by the app server, and one that is missing is refused', async () => {
  const first = await runAgent(codex, { vendor, prompt: 'drill: json {"first":1}' });
  const resume = first.facts.sessionId;
  const attempt = await makeAttempt({});
  await cp(first.sessions, join(attempt.attemptDir, codex.sessionFolder ?? ''), { recursive: true });
  const next = await runAgent(codex, { ...attempt, vendor, resume, prompt: 'drill: recall' });
  expect(next.facts).toMatchObject({ sessionId: resume, finalMessage: expect.stringContaining('first') });
  const missing = await runAgent(codex, { vendor, resume: '01a1f844-0000-7000-8000-000000000000', prompt: 'hello' });
  expect(missing.facts).toMatchObject({ finished: true, error: expect.stringContaining('no rollout found') });
  expect(missing.facts).not.toHaveProperty('sessionId');
});

test.for(amount<('auto' | 'exec')[]>(['auto'], ['auto', 'exec']))(
  'claude: a session that is missing is refused with the drive %s',
  async (drive) => {
    const env = { PROMPTQ_CLAUDE_BIN: claudeBinary };
    const resume = '01a1f844-0000-4000-8000-000000000000';
    const { facts, exitCode } = await runAgent(claude, { vendor, drive, resume, prompt: 'hello', env });
    expect([facts.error, exitCode]).toEqual([expect.stringContaining('No conversation found'), 1]);
    // By that, a refusal differs from a failure of the job.
    expect(facts).not.toHaveProperty('sessionId');
  },
);

test('codex: a key for the vendor reaches it by the app server, and no environment', async () => {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers.authorization);
    response.writeHead(400).end('{}');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const args = ['-c', `openai_base_url="http://127.0.0.1:${(server.address() as AddressInfo).port}/v1"`];
  const env = { OPENAI_API_KEY: 'key-of-the-vendor' };
  const run = await startAgent(codex, { prompt: 'hello', args, env });
  await run.ended;
  expect(new Set(keys)).toEqual(new Set(['Bearer key-of-the-vendor']));
  expect(Object.values((await codex.prepare(run.attempt)).env)).not.toContain('key-of-the-vendor');
  await expect(access(join(run.attempt.attemptDir, 'codex-home', 'auth.json'))).rejects.toThrow('ENOENT');
});

test('codex: what a folder configures is not trusted when a session is continued', async () => {
  const first = await runAgent(codex, { vendor, prompt: 'drill: json {"first":1}' });
  const attempt = await makeAttempt({});
  await cp(first.sessions, join(attempt.attemptDir, codex.sessionFolder ?? ''), { recursive: true });
  const planted = join(attempt.cwd, 'planted');
  await mkdir(join(attempt.cwd, '.codex'));
  await mkdir(join(attempt.cwd, '.git'));
  const mcp = `[mcp_servers.x]\ncommand = "/bin/sh"\nargs = ["-c", "touch ${planted}; cat"]\n`;
  await writeFile(join(attempt.cwd, '.codex', 'config.toml'), mcp);
  const next = await runAgent(codex, { ...attempt, vendor, resume: first.facts.sessionId, prompt: 'hello' });
  expect(next.facts).toMatchObject({ finished: true, finalMessage: expect.any(String) });
  await expect(access(planted)).rejects.toThrow('ENOENT');
});
