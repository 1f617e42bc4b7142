import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DriveName } from '../../lib/contract/drives.ts';
import { codexOutput } from '../../lib/vendors/codex/codex-output.ts';
import { createCodexDrive } from '../drives/codex-app-server.ts';
import type { DrivePort } from '../drives/drive.ts';
import type { Agent, AgentRun } from './agent.ts';
import { codexConfig, VENDOR_KEY } from './codex-config.ts';
import { CODEX_HOME, practiceLoginEnvironment } from './codex-login.ts';
import { codexVersion, findCodex } from './vendor-binary.ts';

/** OpenAI's codex CLI. Observed with version 0.169.0. */
export const codex: Agent = {
  ...codexOutput,
  name: 'codex',
  // SIGTERM and SIGKILL leave codex's tools running; SIGINT ends them with it.
  politeSignal: 'SIGINT',
  sessionFolder: join(CODEX_HOME, 'sessions'),
  takesTools: true,

  cliVersion: ({ PROMPTQ_CODEX_BIN }) => codexVersion(PROMPTQ_CODEX_BIN),

  async prepare(run) {
    const command = await findCodex(run.env.PROMPTQ_CODEX_BIN);
    const home = join(run.attemptDir, CODEX_HOME);
    await mkdir(home, { recursive: true, mode: 0o700 });
    await writeFile(join(home, 'config.toml'), codexConfig(run), { mode: 0o600 });
    const env = environmentOf(run, home);
    if (codexDriveOf(run) === 'app-server') {
      const sandbox = run.sandbox === 'none' ? 'danger-full-access' : run.sandbox;
      const { CODEX_API_KEY: apiKey, ...others } = env;
      const turn = { prompt: run.prompt, model: run.model, resume: run.resume, apiKey, sandbox } as const;
      const drive = { name: 'app-server', talk: (port: DrivePort) => createCodexDrive(turn, port) } as const;
      // The key stays in codex's memory.
      const inMemory = apiKey === undefined ? [] : ['-c', 'cli_auth_credentials_store="ephemeral"'];
      return { command, args: ['app-server', ...run.args, ...inMemory], env: others, stdin: '', drive };
    }
    return {
      command,
      args: [
        ...['exec', '--json', '--skip-git-repo-check'],
        ...(run.sandbox === 'none' ? ['--dangerously-bypass-approvals-and-sandbox'] : ['-s', run.sandbox]),
        ...(run.model === undefined ? [] : ['-m', run.model]),
        ...['-C', run.cwd, ...run.args],
        // All other options come before the subcommand.
        ...(run.resume === undefined ? [] : ['resume', run.resume]),
        '-',
      ],
      env,
      stdin: run.prompt,
      drive: { name: 'exec' },
    };
  },
};

function environmentOf(run: AgentRun, home: string): Readonly<Record<string, string>> {
  const { PROMPTQ_CODEX_BIN: _, OPENAI_API_KEY, CODEX_API_KEY = OPENAI_API_KEY, ...env } = run.env;
  return {
    ...env,
    CODEX_HOME: home,
    // codex prints reset times in local time without a zone. They are parsed in this process's zone.
    TZ: Intl.DateTimeFormat().resolvedOptions().timeZone,
    // codex reads only its own variable. A key for the real vendor must not reach anything else.
    ...(run.practiceUrl !== undefined && practiceLoginEnvironment(run.practiceUrl)),
    ...(run.vendor === undefined && run.practiceUrl === undefined && CODEX_API_KEY !== undefined && { CODEX_API_KEY }),
    ...(run.vendor !== undefined && { [VENDOR_KEY]: run.vendor.apiKey }),
  };
}

/** The drive for a run of codex: only `codex exec` takes all arguments that a profile may have. */
export function codexDriveOf({
  drive,
  args,
}: Pick<AgentRun, 'drive' | 'args'>): Extract<DriveName, 'exec' | 'app-server'> {
  return drive === 'exec' || !isConfiguration(args) ? 'exec' : 'app-server';
}

/** Options that the app server has too. */
const WITH_VALUE = /^(-c|--config|--enable|--disable)$/;
const WITH_VALUE_INSIDE = /^(-c.+|--(config|enable|disable)=.+)$/s;

function isConfiguration([first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  if (WITH_VALUE.test(first)) return rest.length > 0 && isConfiguration(rest.slice(1));
  return WITH_VALUE_INSIDE.test(first) && isConfiguration(rest);
}
