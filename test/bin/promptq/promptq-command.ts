import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';
import type { Context } from '../../../lib/cli/base/context.ts';
import { Terminal } from '../../../lib/cli/base/terminal.ts';
import { COMMANDS } from '../../../lib/cli/command-table.ts';
import { main } from '../../../lib/cli/main.ts';
import openapi from '../../../openapi.json' with { type: 'json' };
import packageJson from '../../../package.json' with { type: 'json' };
import { collectedOutput } from '../../local-run/collected-output.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { schemaNamed } from '../../openapi/operations.ts';

export const PROGRAM = fileURLToPath(new URL('../../../bin/promptq.ts', import.meta.url));

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Env = Readonly<Record<string, string | undefined>>;

interface Options {
  readonly env?: Env;
  readonly stdin?: string;
  readonly cwd?: string;
}

/** A `promptq` in progress. */
export interface Running {
  readonly ended: Promise<Ended>;
  /** Waits until stderr contains a text. */
  reports(text: string): Promise<void>;
  stdout(): string;
  interrupt(signal?: NodeJS.Signals): void;
  /** Ends the reader of a stream, as `| head` does. */
  stopReading(stream: 'stdout' | 'stderr'): void;
}

/** A home without saved credentials, for the commands of a test file. It is removed at its end. */
export function emptyHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'promptq-cli-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** The environment of a command without a terminal. */
function environmentWith(env: Env): Env {
  const { PROMPTQ_URL: _, PROMPTQ_TOKEN: __, NO_COLOR: ___, FORCE_COLOR: ____, ...inherited } = process.env;
  return { ...inherited, PROMPTQ_RETRY_SECONDS: '30', ...env };
}

/** Runs a command line in this process: a start would cost more than most commands do. Nothing can interrupt it. */
export async function runPromptq(
  args: readonly string[],
  { env = {}, stdin = '' }: Omit<Options, 'cwd'> = {},
): Promise<Ended> {
  const [out, err] = [collectedOutput(), collectedOutput()];
  const context: Context = {
    env: environmentWith(env),
    version: packageJson.version,
    commands: COMMANDS,
    stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
    terminal: new Terminal(out.stream, err.stream),
    onInterrupt: () => () => undefined,
    onStop: () => () => undefined,
  };
  const code = await main(context, args);
  return { code, stdout: out.collected(), stderr: err.collected() };
}

/** Starts a command line as a process of its user. */
export function startPromptq(args: readonly string[], { env = {}, stdin = '', cwd }: Options = {}): Running {
  const child = spawn(process.execPath, [PROGRAM, ...args], { env: environmentWith(env), stdio: 'pipe', cwd });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (err += chunk));
  child.stdin.on('error', () => undefined).end(stdin);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout: out, stderr: err }));
  });
  return {
    ended,
    reports: async (wanted) => void (await waitFor(() => err.includes(wanted))),
    stdout: () => out,
    interrupt: (signal = 'SIGINT') => child.kill(signal),
    stopReading: (stream) => void child[stream].destroy(),
  };
}

/** Runs commands against a service with a token. */
export function commandsOf(service: () => ServiceUnderTest, home: string) {
  const options = (given: Options): Options => ({
    ...given,
    env: {
      XDG_CONFIG_HOME: home,
      PROMPTQ_URL: service().baseUrl,
      PROMPTQ_TOKEN: service().token,
      ...given.env,
    },
  });
  const start = (args: readonly string[], given: Options = {}) => startPromptq(args, options(given));
  // A folder is that of a process.
  const run = async (args: readonly string[], given: Options = {}) =>
    given.cwd === undefined ? await runPromptq(args, options(given)) : await start(args, given).ended;
  return {
    start,
    run,
    promptq: async (...args: readonly string[]) => await run(args),
    /** Runs a command with `--json` and checks its only line by the schema with this name. */
    json: async (schema: string, args: readonly string[], given: Options = {}) => {
      const { code, stdout, stderr } = await run([...args, '--json'], given);
      expect(stdout.split('\n'), stderr).toHaveLength(2);
      // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
      return { code, value: schemaNamed(openapi, schema).parse(JSON.parse(stdout)) as any };
    },
  };
}

/** Runs a command line with a terminal as its stdin, stdout and stderr. @returns what the terminal received */
export async function inTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const child = startTerminal(args, env);
  child.stdin.end();
  return await text(child.stdout);
}

/** Starts `script`, which shows a terminal with a command line and types what it is given. @param within runs the command */
export function startTerminal(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  within: readonly string[] = [],
) {
  const command = [...within, process.execPath, PROGRAM, ...args];
  const quoted = command.map((arg) => `'${arg.replaceAll("'", "'\\''")}'`).join(' ');
  return spawn('script', ['-qec', quoted, '/dev/null'], {
    // Node shows no colours where CI is set.
    env: {
      ...process.env,
      CI: undefined,
      NO_COLOR: undefined,
      FORCE_COLOR: undefined,
      TERM: 'xterm-256color',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}
