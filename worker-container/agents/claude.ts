import { randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { claudeOutput } from '../../lib/vendors/claude/claude-output.ts';
import { createJsonLines } from '../../lib/vendors/output/json-lines.ts';
import { TOOL_SERVER, TOOL_TIMEOUT_SECONDS } from '../commands/tool-access.ts';
import type { Drive, DrivePort } from '../drives/drive.ts';
import type { Agent, AgentRun } from './agent.ts';
import { claudeVersion, findClaude } from './vendor-binary.ts';

/** Name of claude's own folder inside `attemptDir`. */
const CLAUDE_HOME = 'claude-home';

/** Anthropic's claude CLI. Observed with version 2.1.328. */
export const claude: Agent = {
  ...claudeOutput,
  name: 'claude',
  // SIGTERM ends the tools too. So does SIGINT, but then claude exits with 0.
  politeSignal: 'SIGTERM',
  sessionFolder: join(CLAUDE_HOME, 'projects'),
  takesTools: true,

  cliVersion: ({ PROMPTQ_CLAUDE_BIN }) => claudeVersion(PROMPTQ_CLAUDE_BIN),

  async prepare(run) {
    const command = await findClaude(run.env.PROMPTQ_CLAUDE_BIN);
    const talk = (port: DrivePort) => createClaudeDrive(run.prompt, port);
    const drive = run.drive === 'exec' ? ({ name: 'exec' } as const) : ({ name: 'stream-json', talk } as const);
    const tools = await claudeTools(run);
    return {
      command,
      args: [
        // claude streams only with `--verbose`.
        ...['--print', '--output-format=stream-json', '--verbose'],
        ...(drive.name === 'exec' ? [] : ['--input-format=stream-json', '--replay-user-messages']),
        // The working folder may instruct the model, not configure claude: its settings could send the key elsewhere.
        ...['--setting-sources=user', '--strict-mcp-config', `--add-dir=${run.cwd}`],
        ...['--disallowedTools=ScheduleWakeup', ...permissionArguments(run.sandbox, tools.allowed), ...tools.args],
        ...(run.model === undefined ? [] : [`--model=${run.model}`]),
        ...(run.resume === undefined ? [] : [`--resume=${run.resume}`]),
        ...run.args,
      ],
      env: await claudeEnvironment(run),
      stdin: claudeText(run.prompt),
      drive,
    };
  },
};

/** Creates claude's files for one attempt inside the attempt's folder. @returns its environment */
async function claudeEnvironment(run: AgentRun): Promise<Readonly<Record<string, string>>> {
  const home = join(run.attemptDir, CLAUDE_HOME);
  const temp = join(run.attemptDir, 'claude-temp');
  const toolEnvironment = join(run.attemptDir, 'tool-environment.sh');
  await mkdir(home, { recursive: true, mode: 0o700 });
  await mkdir(temp, { recursive: true, mode: 0o700 });
  // Sourced by claude before each command of its tools. The shell needs no other program for it.
  await writeFile(toolEnvironment, `unset ${[...run.hidden, ...ACCOUNT_VARIABLES].join(' ')}\n`, { mode: 0o600 });
  const { PROMPTQ_CLAUDE_BIN: _, ...env } = run.env;
  const commandMs = Math.min(run.timeoutMs ?? LONGEST_COMMAND_MS, LONGEST_COMMAND_MS);
  return {
    // The queue retries jobs. With claude's default of 10, a dead vendor or a wrong key takes minutes to notice.
    CLAUDE_CODE_MAX_RETRIES: '4',
    // By default claude ends a command after two minutes. The job's timeout applies to commands too.
    BASH_DEFAULT_TIMEOUT_MS: String(commandMs),
    BASH_MAX_TIMEOUT_MS: String(commandMs),
    ...(run.vendor === undefined ? env : { ...withoutAccount(env), ...accountAt(run.vendor) }),
    CLAUDE_CONFIG_DIR: home,
    // The default is /tmp, where files stay and where the claudes of other jobs find this one's socket.
    CLAUDE_CODE_TMPDIR: temp,
    CLAUDE_ENV_FILE: toolEnvironment,
    // Reads CLAUDE.md of an added folder, and none of its settings.
    CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    // With background tasks claude prints several results, and it is ended soon after the first.
    CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1',
    CLAUDE_CODE_DISABLE_CRON: '1',
  };
}

/** A day: longer than any command that is meant. */
const LONGEST_COMMAND_MS = 86_400_000;

/** Variables of claude with credentials. */
const ACCOUNT_VARIABLES = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];

/** Removes the variables of a real account. */
function withoutAccount(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ACCOUNT.test(name)));
}

const ACCOUNT = /^ANTHROPIC_|^CLAUDE_CODE_OAUTH_/;

function accountAt({ baseUrl, apiKey }: NonNullable<AgentRun['vendor']>): Record<string, string> {
  // claude appends the version to the path.
  return { ANTHROPIC_BASE_URL: baseUrl.replace(/\/v1\/?$/, ''), ANTHROPIC_API_KEY: apiKey };
}

/**
 * Arguments that give claude's tools what the sandbox allows. No one can answer a question, so all else is denied.
 * @param allowed further tools that are always allowed
 * `--dangerously-skip-permissions` is not an option: claude rejects it for root.
 */
function permissionArguments(sandbox: AgentRun['sandbox'], allowed: readonly string[] = []): readonly string[] {
  switch (sandbox) {
    case 'none':
      return ['--permission-mode=acceptEdits', `--allowedTools=${[...EVERYTHING, ...allowed].join(',')}`];
    case 'workspace-write':
      // Edits are accepted inside the working folder only.
      return ['--permission-mode=acceptEdits', `--settings=${JSON.stringify({ sandbox: SANDBOX })}`, ...only(allowed)];
    case 'read-only':
      // Commands that claude knows to be read-only still run.
      return ['--permission-mode=dontAsk', `--disallowedTools=${EDITORS.join(',')}`, ...only(allowed)];
  }
}

function only(allowed: readonly string[]): readonly string[] {
  return allowed.length === 0 ? [] : [`--allowedTools=${allowed.join(',')}`];
}

const EDITORS = ['Edit', 'Write', 'NotebookEdit'];
const EVERYTHING = ['Bash', 'Read', ...EDITORS, 'WebFetch', 'WebSearch', 'Skill', 'Workflow'];

/** Commands run under bubblewrap without a network, and fail on a machine that lacks it. */
const SANDBOX = {
  enabled: true,
  failIfUnavailable: true,
  allowUnsandboxedCommands: false,
  autoAllowBashIfSandboxed: true,
};

/**
 * Writes the file that tells claude of the attempt's tools. The key is in the file only: arguments are visible to
 * others, and tools inherit the environment.
 * @returns arguments that name the file, and the tools to allow
 */
async function claudeTools({ tools, attemptDir }: Pick<AgentRun, 'tools' | 'attemptDir'>): Promise<{
  readonly args: readonly string[];
  readonly allowed: readonly string[];
}> {
  if (tools === undefined) return { args: [], allowed: [] };
  const path = join(attemptDir, 'tools.json');
  const server = {
    type: 'http',
    url: tools.url,
    headers: { Authorization: `Bearer ${tools.key}` },
    timeout: TOOL_TIMEOUT_SECONDS * 1000,
    // Otherwise the model has to search for a tool before it can call it.
    alwaysLoad: true,
  };
  await writeFile(path, JSON.stringify({ mcpServers: { [TOOL_SERVER]: server } }), { mode: 0o600 });
  return { args: [`--mcp-config=${path}`], allowed: [`mcp__${TOOL_SERVER}`] };
}

/**
 * Drives `claude --input-format stream-json --replay-user-messages` 2.1.328: user messages as lines on stdin. It repeats
 * each one on stdout when it has put it into the session. stdin ends at the first result, so that the process does; a
 * message that claude had not read until then gets a turn after it in the same process.
 */
export function createClaudeDrive(prompt: string, port: DrivePort): Drive {
  const given = new Map<string, string>();
  let over = false;

  function give(text: string, uuid: string): void {
    port.send({ type: 'user', uuid, message: { role: 'user', content: [{ type: 'text', text: claudeText(text) }] } });
  }

  const lines = createJsonLines((value) => {
    const line = lineSchema.safeParse(value).data;
    if (line?.type === 'user') {
      const messageId = given.get(line.uuid);
      given.delete(line.uuid);
      if (messageId !== undefined) port.onSeen(messageId);
    } else if (line?.type === 'result' && !over) {
      over = true;
      port.close();
    }
  });

  return {
    begin: () => give(prompt, randomUUID()),
    push: (chunk) => lines.push(chunk),
    say({ id, text }) {
      if (over) return false;
      const uuid = randomUUID();
      given.set(uuid, id);
      give(text, uuid);
      return true;
    },
  };
}

/**
 * A text for claude that stays one: claude 2.1.328 takes one that begins with a slash for its command, such as `/help` or
 * `/clear`, and asks no model. A line feed before it changes nothing for a model.
 */
function claudeText(text: string): string {
  return text.startsWith('/') ? `\n${text}` : text;
}

const lineSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('user'), uuid: z.string(), isReplay: z.literal(true) }),
  z.object({ type: z.literal('result') }),
]);
