import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AgentRun } from '../../../worker-container/agents/agent.ts';
import { claude } from '../../../worker-container/agents/claude.ts';
import { agentRun, BINARY, modeOf, TOOLS, VENDOR } from './an-agent-run.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterEach(async () => await rm(folder, { recursive: true }));

const FIRST = ['--print', '--output-format=stream-json', '--verbose'];
const DRIVEN = ['--input-format=stream-json', '--replay-user-messages'];
const SETTINGS = [
  '--setting-sources=user',
  '--strict-mcp-config',
  '--add-dir=/job',
  '--disallowedTools=ScheduleWakeup',
];
const EVERYTHING = '--allowedTools=Bash,Read,Edit,Write,NotebookEdit,WebFetch,WebSearch,Skill,Workflow';

it.each<[Partial<AgentRun>, readonly string[]]>([
  [{}, [...DRIVEN, ...SETTINGS, '--permission-mode=acceptEdits', EVERYTHING]],
  [{ drive: 'exec' }, [...SETTINGS, '--permission-mode=acceptEdits', EVERYTHING]],
  [
    { model: 'm-1', resume: 'session', args: ['--x'] },
    [...DRIVEN, ...SETTINGS, '--permission-mode=acceptEdits', EVERYTHING, '--model=m-1', '--resume=session', '--x'],
  ],
  [
    { sandbox: 'read-only' },
    [...DRIVEN, ...SETTINGS, '--permission-mode=dontAsk', '--disallowedTools=Edit,Write,NotebookEdit'],
  ],
])('claude with %o is run with those arguments', async (differing, args) => {
  const prepared = await claude.prepare(agentRun(folder, differing));
  expect(prepared).toMatchObject({ command: BINARY, args: [...FIRST, ...args], stdin: 'Do it.' });
  expect(prepared.drive.name).toBe(differing.drive === 'exec' ? 'exec' : 'stream-json');
  expect(prepared.drive.talk !== undefined).toBe(differing.drive !== 'exec');
});

it('claude may call its tools in each sandbox, by a file that only its owner can read', async () => {
  const file = `--mcp-config=${join(folder, 'tools.json')}`;
  const { args } = await claude.prepare(agentRun(folder, { tools: TOOLS }));
  expect(args.slice(-2)).toEqual([`${EVERYTHING},mcp__promptq`, file]);
  const readOnly = await claude.prepare(agentRun(folder, { tools: TOOLS, sandbox: 'read-only' }));
  expect(readOnly.args.slice(-2)).toEqual(['--allowedTools=mcp__promptq', file]);
  const boxed = await claude.prepare(agentRun(folder, { tools: TOOLS, sandbox: 'workspace-write' }));
  const sandbox = { enabled: true, failIfUnavailable: true, allowUnsandboxedCommands: false };
  const settings = { sandbox: { ...sandbox, autoAllowBashIfSandboxed: true } };
  expect(boxed.args.slice(-4)).toEqual([
    ...['--permission-mode=acceptEdits', `--settings=${JSON.stringify(settings)}`, '--allowedTools=mcp__promptq', file],
  ]);
  expect(await modeOf(join(folder, 'tools.json'))).toBe('600');
  expect(JSON.parse(await readFile(join(folder, 'tools.json'), 'utf8'))).toEqual({
    mcpServers: {
      promptq: {
        ...{ type: 'http', url: TOOLS.url, timeout: 120_000, alwaysLoad: true },
        headers: { Authorization: 'Bearer tool-key' },
      },
    },
  });
});

it('claude has folders that only its owner can enter, and an environment without traffic to others', async () => {
  const { env } = await claude.prepare(agentRun(folder, { env: { OTHER: 'other', CLAUDE_CODE_MAX_RETRIES: '2' } }));
  expect(env).toEqual({
    ...{ CLAUDE_CODE_MAX_RETRIES: '2', OTHER: 'other', PATH: '/bin', PROMPTQ_CODEX_BIN: BINARY },
    CLAUDE_CONFIG_DIR: join(folder, 'claude-home'),
    CLAUDE_CODE_TMPDIR: join(folder, 'claude-temp'),
    CLAUDE_ENV_FILE: join(folder, 'tool-environment.sh'),
    CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    ...{ DISABLE_AUTOUPDATER: '1', BASH_DEFAULT_TIMEOUT_MS: '86400000', BASH_MAX_TIMEOUT_MS: '86400000' },
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_DISABLE_CRON: '1',
  });
  expect((await claude.prepare(agentRun(folder))).env).toMatchObject({ CLAUDE_CODE_MAX_RETRIES: '4' });
  const modes = await Promise.all(
    ['claude-home', 'claude-temp', 'tool-environment.sh'].map(async (name) => await modeOf(join(folder, name))),
  );
  expect(modes).toEqual(['700', '700', '600']);
});

it('claude that talks to another vendor has nothing of an account', async () => {
  const account = { ANTHROPIC_API_KEY: 'ours', ANTHROPIC_MODEL: 'm', CLAUDE_CODE_OAUTH_TOKEN: 'ours', MINE: 'mine' };
  const { env } = await claude.prepare(agentRun(folder, { vendor: VENDOR, env: account }));
  expect(env).toMatchObject({
    ...{ ANTHROPIC_BASE_URL: 'http://127.0.0.1:8', ANTHROPIC_API_KEY: 'vendor-key', MINE: 'mine' },
  });
  expect(Object.keys(env)).not.toContain('ANTHROPIC_MODEL');
  expect(Object.keys(env)).not.toContain('CLAUDE_CODE_OAUTH_TOKEN');
  expect((await claude.prepare(agentRun(folder, { env: account }))).env).toMatchObject(account);
});

it('claude hides from its tools what is hidden and its own credentials, without any program', async () => {
  await claude.prepare(agentRun(folder, { hidden: ['my_key', 'DB'] }));
  const script = `. '${join(folder, 'tool-environment.sh')}'; export -p`;
  const env = {
    ...{ PATH: folder, my_key: 'x', DB: 'x', ANTHROPIC_API_KEY: 'x', ANTHROPIC_AUTH_TOKEN: 'x' },
    ...{ CLAUDE_CODE_OAUTH_TOKEN: 'x', TOKENIZERS_PARALLELISM: 'false' },
  };
  const left = execFileSync('/bin/bash', ['--norc', '-c', script], { env, encoding: 'utf8' });
  expect(left).toContain('TOKENIZERS_PARALLELISM="false"\n');
  expect(left).not.toMatch(/="x"$/m);
});

it.each([
  [{ timeoutMs: 600_000 }, '600000'],
  [{}, '86400000'],
  [{ timeoutMs: 600_000, env: { BASH_DEFAULT_TIMEOUT_MS: '5', BASH_MAX_TIMEOUT_MS: '5' } }, '5'],
])("claude gives its commands the time of the job, or the profile's: %j", async (differing, time) => {
  const { env } = await claude.prepare(agentRun(folder, differing));
  expect(env).toMatchObject({ BASH_DEFAULT_TIMEOUT_MS: time, BASH_MAX_TIMEOUT_MS: time });
});

it('a claude that cannot be run is named with where its name comes from', async () => {
  await expect(claude.prepare(agentRun(folder, { env: { PROMPTQ_CLAUDE_BIN: '/none/claude' } }))).rejects.toThrow(
    "the claude CLI named by PROMPTQ_CLAUDE_BIN can't be executed: /none/claude",
  );
});
