import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentRun } from './agent.ts';

/** Name of claude's own folder inside `attemptDir`. */
export const CLAUDE_HOME = 'claude-home';

/** Creates claude's files for one attempt inside the attempt's folder. @returns its environment */
export async function claudeEnvironment(run: AgentRun): Promise<Readonly<Record<string, string>>> {
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
