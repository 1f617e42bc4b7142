import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolved } from '../../../lib/local/practice-vendor/model/references.ts';
import { codexConfig, VENDOR_KEY } from '../../../worker-container/agents/codex-config.ts';
import { CONNECT, CONNECT_HTTP } from '../../bin/promptq/mcp-client.ts';
import { PROGRAM } from '../../bin/promptq/promptq-command.ts';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { type GitServer, startGitServer } from '../../stand-ins/git-server.ts';
import { amount } from '../../vitest/amount.ts';
import { claudeCli, INSTALL_LIMIT } from '../../worker-container/agents/claude-cli.ts';
import { createJob } from '../job-client.ts';

/*
 * What an agent does with Promptq's tools, from the profiles to the diff: by the real codex and the real claude, whose
 * practice model calls the tools, and by the official client. Each is configured as docs/guide/mcp.md says.
 */

const CODEX = fileURLToPath(new URL('../../../node_modules/.bin/codex', import.meta.url));
const PROJECT = 'of-real-agents';

let service: ServiceUnderTest;
let git: GitServer;
let claude: string;
let vendor: { readonly baseUrl: string; readonly apiKey: string };
beforeAll(async () => {
  [claude, service, git] = await Promise.all([claudeCli(), sharedService(), startGitServer()]);
  const { practice_url, practice_key } = JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8'));
  vendor = { baseUrl: practice_url, apiKey: practice_key };
  await git.commit({ 'README.md': 'one\n' });
  await createJob(service, { project: PROJECT, prompt: 'x', draft: true });
  expect((await service.api('PATCH', `/projects/${PROJECT}`, { repository: git.url })).status).toBe(200);
}, INSTALL_LIMIT);
afterAll(async () => {
  await git.close();
});

type Call = readonly [tool: string, input: object];
/** Calls of `waiting`. */
const WAITS = 4;
/** Waits for a job: by HTTP one call takes 20 seconds at most. */
const waiting = (id: string): readonly Call[] => Array.from({ length: WAITS }, () => ['wait_for_job', { id }]);
interface Answered {
  readonly tool: string;
  /** What the client gives to its model, as JSON. */
  readonly text: string;
  /** What the client got, as JSON. */
  readonly whole: string;
}
/** Makes calls one after the other, whose input refers to earlier answers. */
type Agent = (calls: readonly Call[], wire: 'http' | 'stdio') => Promise<readonly Answered[]>;

async function output(command: string, args: readonly string[], env: Record<string, string>, cwd: string) {
  const running = promisify(execFile)(command, args, { env, cwd, maxBuffer: 10_000_000 });
  running.child.stdin?.end();
  const lines = (await running).stdout.split('\n').filter((line) => line.startsWith('{'));
  // biome-ignore lint/suspicious/noExplicitAny: the CLIs' own formats
  return lines.map((line): any => JSON.parse(line));
}

const access = () => ({ PROMPTQ_URL: service.baseUrl, PROMPTQ_TOKEN: service.token });
const environment = (folder: string) => ({ PATH: process.env.PATH ?? '', HOME: folder, ...access() });
const drills = (calls: readonly Call[]) =>
  calls.map(([tool, input]) => `drill: use ${tool} ${JSON.stringify(input)}`).join('\n');

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-cli-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const codex: Agent = async (calls, wire) =>
  await inFolder(async (folder) => {
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
      ...['[mcp_servers.promptq]', ...server, 'default_tools_approval_mode = "approve"', ''],
    ];
    await writeFile(join(folder, 'config.toml'), config.join('\n'));
    const env = { ...environment(folder), CODEX_HOME: folder, [VENDOR_KEY]: vendor.apiKey };
    const events = await output(CODEX, ['exec', '--json', '--skip-git-repo-check', drills(calls)], env, folder);
    return events
      .filter(({ type, item }) => type === 'item.completed' && item.type === 'mcp_tool_call')
      .map(({ item: { tool, result } }) => {
        return { tool, text: result.content[0].text, whole: JSON.stringify(result) };
      });
  });

const claudeAgent: Agent = async (calls, wire) =>
  await inFolder(async (folder) => {
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
    const flags = [`--mcp-config=${config}`, '--strict-mcp-config', '--allowedTools=mcp__promptq'];
    const args = ['--print', '--output-format=stream-json', '--verbose', ...flags, drills(calls)];
    const events = await output(claude, args, env, folder);
    const results = events
      .filter(({ type }) => type === 'user')
      .flatMap(({ message }) => message.content)
      .filter(({ type }) => type === 'tool_result');
    return results.map(({ content }, at) => {
      const text = typeof content === 'string' ? content : content[0].text;
      return { tool: calls[at]?.[0] ?? '', text, whole: text };
    });
  });

const official: Agent = async (calls, wire) => {
  const connect = (wire === 'http' ? CONNECT_HTTP : CONNECT)['@modelcontextprotocol/client'];
  const client = await connect?.(access());
  const steps = calls.map(([tool]) => ({ drill: 'use' as const, tool, input: {} }));
  const answers: Answered[] = [];
  for (const [tool, input] of calls) {
    const earlier = answers.map(({ text }, step) => ({ step, session: undefined, output: text }));
    const result = await client?.call(tool, resolved(input, steps, earlier) as object);
    answers.push({ tool, text: result.content[0].text, whole: JSON.stringify(result) });
  }
  await client?.close();
  return answers;
};

const HTTP = [
  ['claude', 'http', claudeAgent],
  ['the official client', 'http', official],
] as const;
const STDIO = [
  ['codex', 'stdio', codex],
  ['the official client', 'stdio', official],
] as const;
const OTHERS = [
  ['codex', 'http', codex],
  ['claude', 'stdio', claudeAgent],
] as const;
const CASES = amount([...HTTP, ...STDIO], [...HTTP, ...STDIO, ...OTHERS]);

test.each(CASES)('%s finds a template by %s, runs it and reads its values', async (name, wire, agent) => {
  const template = `of-${name.replaceAll(' ', '-')}-${wire}`;
  const saved = await service.api('PUT', `/templates/${template}`, {
    ...{ profile: 'practice', description: 'Says a word.' },
    prompt: 'drill: recall\n{{word}}, {{count}} times',
    parameters: [
      { name: 'word', type: 'string', description: 'What is said.' },
      { name: 'count', type: 'number' },
    ],
  });
  expect(saved.status, saved.text).toBe(201);
  const parameters = { word: '{{count}} $(id)', count: 41 };
  const answers = await agent(
    [
      ['list_templates', {}],
      ['run_template', { template, parameters: { count: 'many', none: 1 } }],
      ['run_template', { template, parameters, project: PROJECT, idempotency_key: template }],
      ...waiting('$run_template/id'),
      ['job_result', { id: '$run_template/id' }],
      ['read_job', { id: '$run_template/id' }],
      ['list_jobs', { template }],
    ],
    wire,
  );
  const read = answers.map(({ text }) => JSON.parse(text));
  const [templates, refused, run] = read;
  const [result, job, jobs] = read.slice(3 + WAITS);
  const unknown = 'parameters: unknown "none"; allowed: word, count';
  const missing = 'parameters.word: is missing; expected a value of type string';
  const mistyped = 'parameters.count: received "many" (string); expected a number';
  expect(refused).toEqual({ message: [unknown, missing, mistyped].join('; ') });
  expect(templates.items).toContainEqual({
    ...{ name: template, version: 1, description: 'Says a word.' },
    parameters: [
      { name: 'word', type: 'string', required: true, description: 'What is said.' },
      { name: 'count', type: 'number', required: true },
    ],
  });
  expect(result.final_message).toBe('drill: recall {{count}} $(id), 41 times');
  expect(job.template).toEqual({ name: template, version: 1, parameters });
  expect(jobs.items).toMatchObject([{ id: run.id }]);
});

/** Each line costs seven bytes as text, and more as JSON. */
const LINES = 3_000;
const id = '$create_job/id';
const journey = (key: string): readonly Call[] => {
  const work = [
    `drill: tool seq -f '"ü" %g' ${LINES} > numbers.txt`,
    `drill: ask Which color?${' It matters.'.repeat(150)}`,
    'drill: tool printf done > state',
  ];
  return [
    ['list_profiles', {}],
    ['create_job', { project: PROJECT, profile: 'practice', prompt: work.join('\n'), idempotency_key: key }],
    ...waiting(id),
    ['list_questions', { id }],
    ['answer_question', { id, question_id: '$list_questions/items/0/id', answer: 'light blue' }],
    // The job starts again if the answer has come late.
    ...waiting(id),
    ['job_result', { id }],
    ['list_questions', { id }],
    ['list_files', { id }],
    ['read_file', { id, path: '$list_files/items/0/path' }],
    ['read_diff', { id }],
    ['read_diff', { id, offset: '$read_diff/next_offset', limit: 20_000 }],
  ];
};

test.each(CASES)(
  '%s delegates by %s: finds a profile, answers a question, reads result, file and diff, each in 8,000 bytes',
  async (name, wire, agent) => {
    const calls = journey(`${name} ${wire}`);
    const answers = await agent(calls, wire);
    expect(answers.map(({ tool }) => tool)).toEqual(calls.map(([tool]) => tool));
    const read = answers.map(({ text }) => JSON.parse(text));
    const [profiles] = read;
    const [asking, questions] = read.slice(1 + WAITS);
    const [waited, result, answered, files, file, diff, rest] = read.slice(3 + 2 * WAITS);
    expect(profiles.items).toContainEqual(expect.objectContaining({ name: 'practice', agent: 'codex' }));
    expect(asking.message).toContain('Call list_questions');
    expect(questions.items).toMatchObject([{ state: 'open', question: expect.stringContaining('Which color?') }]);
    expect(waited.status).toBe('SUCCEEDED');
    expect(result).toMatchObject({ status: 'SUCCEEDED', final_message: expect.any(String) });
    expect(answered.items).toMatchObject([{ state: 'answered', answer: 'light blue' }]);
    expect(files.items.map(({ path }: { path: string }) => path)).toEqual(['numbers.txt', 'state']);
    expect(file.text).toMatch(/^"ü" 1\n"ü" 2\n/);
    expect(file.next_offset).toBe(file.text.length);
    expect(diff.text).toContain('+++ b/numbers.txt');
    const shown = diff.text + rest.text;
    expect(shown).toContain(`+"ü" ${Math.floor(LINES / 2)}\n`);
    const sizes = answers.map(({ tool, whole }) => ({ tool, bytes: Buffer.byteLength(whole) }));
    expect(sizes.slice(0, -1).filter(({ bytes }) => bytes > 8_000)).toEqual([]);
    expect(sizes.at(-1)?.bytes).toBeGreaterThan(8_000);
  },
);
