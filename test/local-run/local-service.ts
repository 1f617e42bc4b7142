import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { fetchLocalhost } from '../../lib/access/sign-in/localhost-fetch.ts';
import { findProgram } from '../../lib/local/run/child-process.ts';
import { stallTolerantTimer } from '../../lib/platform/stall-tolerant-timer.ts';
import { RecordedAccess } from '../declared-access/recorded-access.ts';
import { type SecondDynamodb, startSecondDynamodb } from '../stand-ins/second-dynamodb.ts';
import { filesWithTokens } from './leaked-tokens.ts';

/** The whole local run as a separate process, for tests of the API. */
export interface ServiceUnderTest {
  /** Without `/api/v1`. */
  readonly baseUrl: string;
  /** Where browsers find it. */
  readonly consoleUrl: string;
  /** Has every scope. */
  readonly token: string;
  readonly home: string;
  readonly pid: number;
  /** What it has printed so far. */
  output(): string;
  /** Calls the API with the token. `path` is relative to `/api/v1`; an object as body is sent as JSON, a string as it is. A header `host` names the console's host. */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
}

/** A local run that ends with its test. */
export interface OwnService extends ServiceUnderTest {
  /** SIGTERM, then waits for the end and calls `checkTraces`. Removes the home unless it was given or is to be kept. Returns the exit code. */
  stop(options?: { keepHome?: boolean }): Promise<number | null>;
  /** @throws Error if a token is in what the run has left so far, or a function has accessed what its route does not declare */
  checkTraces(): Promise<void>;
  /** SIGKILL to the service's own process, as an out-of-memory kill would hit it; the home is kept. */
  kill9(): Promise<void>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly json: any;
}

/** By home, since a second run continues with the tables of the first. They end with this process. */
const secondDynamodbs = new Map<string, Promise<SecondDynamodb | undefined>>();

async function secondDynamodbOf(home: string): Promise<Record<string, string>> {
  const started = secondDynamodbs.get(home) ?? startSecondDynamodb();
  secondDynamodbs.set(home, started);
  const { endpoint } = (await started) ?? {};
  return endpoint === undefined ? {} : { PROMPTQ_DYNAMODB_ENDPOINT: endpoint };
}

const START_LIMIT = 90_000;

/** Milliseconds between two probes: probes of what takes long must not take the time of what they wait for. */
const PAUSE = { first: 30, growth: 1.5, longest: 1_000 } as const;
/** What a start writes for the user's commands is in its HOME. */
const OWN_FOLDERS = { XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' };
const PROGRAM = fileURLToPath(new URL('../../bin/local.ts', import.meta.url));

/**
 * Starts a local run on a free port and a temporary home.
 * @param options.under a program, with its arguments, that starts the one which comes after them
 * @param options.home an existing home; it is not removed at the end
 * @param options.ownGroup leads a process group, as a shell starts a program on a terminal
 * @throws Error with all that was printed, if it ends before it is ready
 */
export async function startService(
  options: { env?: Record<string, string>; home?: string; under?: readonly string[]; ownGroup?: boolean } = {},
): Promise<OwnService> {
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'promptq-test-')));
  const dynamodb = await secondDynamodbOf(home);
  const access = new RecordedAccess();
  // A test run that is killed must leave no service behind.
  const setpriv = await findProgram('setpriv');
  const [program = '', ...args] = [
    ...(setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'TERM']),
    ...(options.under ?? []),
    process.execPath,
    ...access.nodeArguments,
    PROGRAM,
  ];
  const child = spawn(program, args, {
    // Agents start login shells: what a developer's own profile does there is no part of a test.
    env: { ...process.env, ...OWN_FOLDERS, HOME: home, PORT: '0', PROMPTQ_HOME: home, ...dynamodb, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: options.ownGroup ?? false,
  });
  let printed = '';
  child.stdout.on('data', (chunk) => (printed += chunk));
  child.stderr.on('data', (chunk) => (printed += chunk));
  const ended = once(child, 'close');
  const info = await ready(child, home, () => printed).catch(async (error: unknown) => {
    child.kill('SIGKILL');
    await ended;
    if (options.home === undefined) await rm(home, { recursive: true, force: true });
    throw error;
  });

  const checkTraces = async () => {
    const leaks = await filesWithTokens(home);
    if (leaks.length > 0) throw new Error(`the run has left a token in ${leaks.join(', ')}`);
    access.check();
  };

  return {
    checkTraces,
    baseUrl: info.base_url,
    consoleUrl: info.console_url,
    token: info.token,
    home,
    pid: info.pid,
    output: () => printed,
    api: async (method, path, body, headers) =>
      await call(`${headers?.host ? `http://${headers.host}` : info.base_url}/api/v1${path}`, info.token, {
        method,
        body,
        headers,
      }),
    stop: async ({ keepHome = options.home !== undefined } = {}) => {
      child.kill('SIGTERM');
      await ended;
      await checkTraces();
      access.finish();
      if (!keepHome) await rm(home, { recursive: true, force: true });
      return child.exitCode;
    },
    kill9: async () => {
      child.kill('SIGKILL');
      await ended;
      access.finish();
    },
  };
}

/**
 * Waits until `probe` returns something other than undefined or false.
 * @param options.timeoutMs not counting the time in which the machine is paused
 * @throws Error after that time, with the probe's last error if it threw
 */
export async function waitFor<T>(
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  { timeoutMs = 60_000 }: { timeoutMs?: number } = {},
): Promise<T> {
  const hasTimeLeft = stallTolerantTimer(timeoutMs);
  let lastError: unknown;
  for (let pause: number = PAUSE.first; ; pause = Math.min(pause * PAUSE.growth, PAUSE.longest)) {
    try {
      const found = await probe();
      if (found !== undefined && found !== false) return found;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (!hasTimeLeft())
      throw new Error(`what was waited for did not come within ${timeoutMs} ms`, { cause: lastError });
    await delay(pause);
  }
}

interface Info {
  base_url: string;
  console_url: string;
  token: string;
  pid: number;
}

async function ready(child: ChildProcess, home: string, printed: () => string): Promise<Info> {
  return await waitFor(
    async () => {
      if (child.exitCode !== null || child.signalCode !== null) return 'ended' as const;
      const info = JSON.parse(await readFile(join(home, 'local.json'), 'utf8')) as Info;
      // An existing home may still contain the file of a run that was killed.
      if (info.pid !== child.pid) return undefined;
      const health = await call(`${info.base_url}/api/v1/health`, info.token, { method: 'GET' });
      return health.status === 200 ? info : undefined;
    },
    { timeoutMs: START_LIMIT },
  ).then((result) => {
    if (result === 'ended') throw new Error(`the service ended before it was ready:\n${printed()}`);
    return result;
  });
}

async function call(
  url: string,
  token: string,
  { method, body, headers }: { method: string; body?: unknown; headers?: Record<string, string> | undefined },
): Promise<ApiAnswer> {
  const response = await fetchLocalhost(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    redirect: 'manual',
  });
  const text = await response.text();
  if (text.includes(token)) throw new Error(`${method} ${new URL(url).pathname} answers with the caller's token`);
  return { status: response.status, headers: response.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
