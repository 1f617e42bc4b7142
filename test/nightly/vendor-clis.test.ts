import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { codexConfig, VENDOR_KEY } from '../../worker-container/agents/codex-config.ts';
import { PROGRAM } from '../bin/promptq/promptq-command.ts';
import { type OwnService, startService } from '../local-run/local-service.ts';
import { claudeCli, INSTALL_LIMIT } from '../worker-container/agents/claude-cli.ts';

const CODEX = fileURLToPath(new URL('../../node_modules/.bin/codex', import.meta.url));

let service: OwnService;
let claude: string;
let vendor: { readonly baseUrl: string; readonly apiKey: string };
beforeAll(async () => {
  claude = await claudeCli();
  service = await startService();
  const { practice_url, practice_key } = JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8'));
  vendor = { baseUrl: practice_url, apiKey: practice_key };
}, INSTALL_LIMIT);
afterAll(async () => {
  await service.stop();
});

/** Runs a CLI with a prompt in an empty folder, with the token in its environment. @returns what it printed */
type Agent = (folder: string, prompt: string, wire: 'http' | 'stdio') => Promise<string>;

const environment = (folder: string) => ({
  PATH: process.env.PATH ?? '',
  HOME: folder,
  PROMPTQ_URL: service.baseUrl,
  PROMPTQ_TOKEN: service.token,
});

async function output(command: string, args: readonly string[], env: Record<string, string>, cwd: string) {
  const running = promisify(execFile)(command, args, { env, cwd, maxBuffer: 10_000_000 });
  running.child.stdin?.end();
  return (await running).stdout;
}

const AGENTS: Readonly<Record<string, Agent>> = {
  codex: async (folder, prompt, wire) => {
    const server =
      wire === 'http'
        ? [`url = "${service.baseUrl}/api/v1/mcp"`, 'bearer_token_env_var = "PROMPTQ_TOKEN"']
        : [
            `command = "${process.execPath}"`,
            `args = ["${PROGRAM}", "mcp"]`,
            'env_vars = ["PROMPTQ_URL", "PROMPTQ_TOKEN"]',
            // Otherwise codex begins its turn while the server starts.
            'required = true',
          ];
    const config = [
      codexConfig({ vendor, practiceUrl: undefined, env: {}, hidden: [], tools: undefined }),
      '[mcp_servers.promptq]',
      ...server,
      'default_tools_approval_mode = "approve"',
      '',
    ];
    await writeFile(join(folder, 'config.toml'), config.join('\n'));
    const env = { ...environment(folder), CODEX_HOME: folder, [VENDOR_KEY]: vendor.apiKey };
    return await output(CODEX, ['exec', '--json', '--skip-git-repo-check', prompt], env, folder);
  },
  claude: async (folder, prompt, wire) => {
    const url = `${service.baseUrl}/api/v1/mcp`;
    const server =
      wire === 'http'
        ? // biome-ignore lint/suspicious/noTemplateCurlyInString: claude replaces it
          { type: 'http', url, headers: { Authorization: 'Bearer ${PROMPTQ_TOKEN}' } }
        : { type: 'stdio', command: process.execPath, args: [PROGRAM, 'mcp'] };
    const config = join(folder, 'mcp.json');
    await writeFile(config, JSON.stringify({ mcpServers: { promptq: { ...server, alwaysLoad: true } } }));
    const env = {
      ...environment(folder),
      ANTHROPIC_BASE_URL: new URL(vendor.baseUrl).origin,
      ANTHROPIC_API_KEY: vendor.apiKey,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    };
    const args = [`--mcp-config=${config}`, '--strict-mcp-config', '--allowedTools=mcp__promptq'];
    return await output(claude, ['--print', ...args, prompt], env, folder);
  },
};

const CASES = Object.entries(AGENTS).flatMap(([name, run]) =>
  (['http', 'stdio'] as const).map((wire) => ({ name, wire, run })),
);

test.each(CASES)('$name delegates a job and reads its answer ($wire)', { timeout: 240_000 }, async (delegate) => {
  const { name, wire, run } = delegate;
  const folder = await mkdtemp(join(tmpdir(), 'promptq-cli-'));
  try {
    const use = (tool: string, input: object) => `drill: use ${tool} ${JSON.stringify(input)}`;
    const job = { profile: 'shell', prompt: 'echo $((6 * 7)) of them', idempotency_key: `${name} ${wire}` };
    const created = await run(folder, use('create_job', job), wire);
    const id = /job_[0-9a-z]{26}/.exec(created)?.[0];
    if (id === undefined) throw new Error(`the agent created no job: ${created}`);
    const answer = await run(folder, [use('wait_for_job', { id }), use('job_result', { id })].join('\n'), wire);
    expect(answer).toContain('42 of them');
    expect((await service.api('GET', `/jobs/${id}/status`)).json.status).toBe('SUCCEEDED');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
