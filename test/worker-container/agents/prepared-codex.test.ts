import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AgentRun } from '../../../worker-container/agents/agent.ts';
import { codex } from '../../../worker-container/agents/codex.ts';
import { codexLoginConfig } from '../../../worker-container/agents/codex-config.ts';
import { agentRun, BINARY, modeOf, TOOLS, VENDOR } from './an-agent-run.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterEach(async () => await rm(folder, { recursive: true }));

const configOf = async () => await readFile(join(folder, 'codex-home/config.toml'), 'utf8');

it.each<[Partial<AgentRun>, readonly string[]]>([
  [{}, ['app-server']],
  [
    { args: ['-c', 'a=1', '--enable=b', '-cc=2', '--config=d=3', '--disable', 'e'] },
    ['app-server', '-c', 'a=1', '--enable=b', '-cc=2', '--config=d=3', '--disable', 'e'],
  ],
  [
    { args: ['-c'] },
    ['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', '-C', '/job', '-c', '-'],
  ],
  [
    { args: ['--search'] },
    [
      'exec',
      '--json',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      '-C',
      '/job',
      '--search',
      '-',
    ],
  ],
  [
    { args: ['--enable=a', '--search'], sandbox: 'read-only' },
    ['exec', '--json', '--skip-git-repo-check', '-s', 'read-only', '-C', '/job', '--enable=a', '--search', '-'],
  ],
  [
    { drive: 'exec', model: 'm-1', resume: 'session' },
    [
      'exec',
      '--json',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      '-m',
      'm-1',
      '-C',
      '/job',
      'resume',
      'session',
      '-',
    ],
  ],
])('codex with %o is run with those arguments', async (differing, args) => {
  const prepared = await codex.prepare(agentRun(folder, differing));
  const isDriven = args[0] === 'app-server';
  expect(prepared).toMatchObject({ command: BINARY, args, stdin: isDriven ? '' : 'Do it.' });
  expect(prepared.drive.name).toBe(isDriven ? 'app-server' : 'exec');
  expect(prepared.drive.talk !== undefined).toBe(isDriven);
});

it('codex gets a key in its environment only where it cannot be given in memory', async () => {
  const key = { env: { OPENAI_API_KEY: 'key-of-ours', OTHER: 'other' } };
  const inMemory = await codex.prepare(agentRun(folder, key));
  expect(JSON.stringify(inMemory)).not.toContain('key-of-ours');
  expect(inMemory.args).toEqual(['app-server', '-c', 'cli_auth_credentials_store="ephemeral"']);
  expect(inMemory.env).toMatchObject({ OTHER: 'other', CODEX_HOME: join(folder, 'codex-home') });
  expect(Object.keys(inMemory.env)).not.toContain('PROMPTQ_CODEX_BIN');
  const { env } = await codex.prepare(agentRun(folder, { ...key, drive: 'exec' }));
  expect(env).toMatchObject({ CODEX_API_KEY: 'key-of-ours' });
  expect(Object.keys(env)).not.toContain('OPENAI_API_KEY');
  const both = { env: { OPENAI_API_KEY: 'key-of-ours', CODEX_API_KEY: 'nearer' }, drive: 'exec' } as const;
  expect((await codex.prepare(agentRun(folder, both))).env).toMatchObject({ CODEX_API_KEY: 'nearer' });
});

it('codex that talks to another vendor gets only the key of that one', async () => {
  const env = { OPENAI_API_KEY: 'key-of-ours' };
  const other = await codex.prepare(agentRun(folder, { env, vendor: VENDOR, drive: 'exec' }));
  expect(other.env).toMatchObject({ PROMPTQ_VENDOR_API_KEY: 'vendor-key' });
  expect(JSON.stringify(other)).not.toContain('key-of-ours');
  const config = await configOf();
  expect(config).toMatch(/^model_provider = "promptq"\n/);
  expect(config).toContain(
    [
      '[model_providers.promptq]\nname = "Promptq"\nbase_url = "http://127.0.0.1:8/v1"\nwire_api = "responses"',
      'request_max_retries = 1\nstream_max_retries = 1\nenv_key = "PROMPTQ_VENDOR_API_KEY"\n',
    ].join('\n'),
  );
  const practice = await codex.prepare(agentRun(folder, { env, practiceUrl: 'http://127.0.0.1:7/v1', drive: 'exec' }));
  expect(practice.env).toMatchObject({
    CODEX_REFRESH_TOKEN_URL_OVERRIDE: 'http://127.0.0.1:7/oauth/token',
    CODEX_REVOKE_TOKEN_URL_OVERRIDE: 'http://127.0.0.1:7/oauth/revoke',
  });
  expect(JSON.stringify(practice)).not.toContain('key-of-ours');
  expect(await configOf()).toMatch(/chatgpt_base_url = "http:\/\/127\.0\.0\.1:7\/backend-api\/"/);
  expect(await configOf()).toMatch(/base_url = "http:\/\/127\.0\.0\.1:7\/v1"\n[^[]*requires_openai_auth = true\n/);
});

it('codex has a configuration that only its owner can read, with its tools and what they may write', async () => {
  await codex.prepare(
    agentRun(folder, { tools: TOOLS, env: { PROMPTQ_ATTACHMENTS: '/a "b"\u007f', TZ: 'Europe/Berlin' } }),
  );
  expect([await modeOf(join(folder, 'codex-home')), await modeOf(join(folder, 'codex-home/config.toml'))]).toEqual([
    '700',
    '600',
  ]);
  const config = await configOf();
  expect(config).not.toContain('model_provider');
  expect(config).toContain('[sandbox_workspace_write]\nwritable_roots = ["/a \\"b\\"\\u007f"]\n');
  expect(config).toContain('[shell_environment_policy.set]\nTZ = "Europe/Berlin"\n');
  expect(config).toContain(
    [
      '[mcp_servers.promptq]\nurl = "http://127.0.0.1:9/mcp"\nhttp_headers = { Authorization = "Bearer tool-key" }',
      'startup_timeout_sec = 20\ntool_timeout_sec = 120\ndefault_tools_approval_mode = "approve"\n',
    ].join('\n'),
  );
  await codex.prepare(agentRun(folder));
  const hiding = '[shell_environment_policy]\ninherit = "all"\nignore_default_excludes = true\nexclude = ';
  expect(await configOf()).toBe(`${codexLoginConfig(undefined)}${hiding}["PROMPTQ_VENDOR_API_KEY"]\n`);
  expect(codexLoginConfig('http://127.0.0.1:7/v1')).toBe(
    `chatgpt_base_url = "http://127.0.0.1:7/backend-api/"\n${codexLoginConfig(undefined)}`,
  );
});

it('codex hides from its tools what is hidden and its key, and calls no one but its vendor', async () => {
  expect(codexLoginConfig(undefined).split('\n')).toEqual([
    ...['check_for_update_on_startup = false', 'cli_auth_credentials_store = "file"', 'allow_login_shell = false'],
    ...['[analytics]', 'enabled = false', '[feedback]', 'enabled = false'],
    ...['[otel]', 'exporter = "none"', 'metrics_exporter = "none"', 'trace_exporter = "none"'],
    ...['[features]', 'plugins = false', 'apps = false', 'shell_snapshot = false', ''],
  ]);
  await codex.prepare(agentRun(folder, { hidden: ['DB'] }));
  expect(await configOf()).toContain(
    [
      '[shell_environment_policy]\ninherit = "all"\nignore_default_excludes = true',
      'exclude = ["DB", "PROMPTQ_VENDOR_API_KEY"]\n',
    ].join('\n'),
  );
});

it('a codex that cannot be run is named with where its name comes from', async () => {
  await expect(codex.prepare(agentRun(folder, { env: { PROMPTQ_CODEX_BIN: '/none/codex' } }))).rejects.toThrow(
    "the codex CLI named by PROMPTQ_CODEX_BIN can't be executed: /none/codex",
  );
});
