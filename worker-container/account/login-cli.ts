import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { MASK } from '../../lib/contract/mask.ts';
import type { WorkerEnv } from '../../lib/platform/config/worker-env.ts';
import { loginEnvironment, practiceUrl } from '../agents/agent-environment.ts';
import { codexLogin, codexLogout, isLogin, type LoginCommand } from '../agents/codex-login.ts';
import { endTree, spawnTree, type Tree, type TreeExit } from '../commands/process-tree.ts';
import { ownerOf, type ServiceAccount } from '../service-accounts/service-account.ts';
import { giveTree, readOwned } from '../service-accounts/untrusted-files.ts';

export interface LoginCliContext {
  readonly env: WorkerEnv;
  /** Prefix of the mark of every process of this worker. */
  readonly markPrefix: string;
  /** The account reserved for the CLI. Undefined: it runs as this process's user. */
  readonly account: ServiceAccount | undefined;
}

/** The CLI's device login, in a new folder. Its output exists only in this process's memory. */
export class LoginCli {
  readonly #tree: Tree;
  readonly #mark: string;
  readonly #home: string;
  readonly #context: LoginCliContext;
  readonly #printed = { stdout: '', stderr: '' };
  readonly #prompted = Promise.withResolvers<DevicePrompt>();

  private constructor(context: LoginCliContext, tree: Tree, { mark, home }: { mark: string; home: string }) {
    this.#context = context;
    this.#tree = tree;
    this.#mark = mark;
    this.#home = home;
    this.#prompted.promise.catch(() => undefined);
    for (const stream of ['stdout', 'stderr'] as const) {
      tree[stream].on('data', (chunk: Buffer) => this.#read(stream, chunk));
      tree[stream].on('error', () => undefined);
    }
  }

  static async start(context: LoginCliContext, id: string): Promise<LoginCli> {
    const home = await freshHome(context, id);
    const command = await codexLogin(optionsOf(context, home));
    const mark = markOf(context, id);
    return new LoginCli(context, await run(context, command, { home, mark }), { mark, home });
  }

  /** Resolves when the CLI has printed the address and the code; may never resolve. */
  get prompted(): Promise<DevicePrompt> {
    return this.#prompted.promise;
  }

  /** Resolves when the CLI has exited, ended or not. */
  get exited(): Promise<TreeExit> {
    return this.#tree.exited;
  }

  get stderr(): string {
    return this.#printed.stderr;
  }

  /** The login that the CLI wrote; undefined: none. */
  async credential(): Promise<string | undefined> {
    const owner = ownerOf(this.#context.account);
    const text = await readOwned(join(this.#home, 'auth.json'), (uid) => uid === owner);
    return text !== undefined && isLogin(text) ? text : undefined;
  }

  /** Kills what is left of the CLI. A login that it wrote stays until `dispose`. */
  async end(): Promise<void> {
    await endTree({ child: this.#tree, mark: this.#mark, politeSignal: 'SIGTERM', kill: true });
  }

  /** Revokes an unwanted login with the CLI that made it. */
  async revoke(): Promise<void> {
    await logout(this.#context, this.#home, `${this.#mark}/logout`);
  }

  async dispose(): Promise<void> {
    for (const pipe of [this.#tree.stdout, this.#tree.stderr]) pipe.destroy();
    await rm(this.#home, { recursive: true, force: true });
  }

  #read(stream: 'stdout' | 'stderr', chunk: Buffer): void {
    // Bound the memory: a CLI may print without end.
    this.#printed[stream] = `${this.#printed[stream]}${chunk}`.slice(-MAX_PRINTED_BYTES);
    const prompt = stream === 'stdout' ? readDevicePrompt(this.#printed.stdout) : undefined;
    if (prompt !== undefined) this.#prompted.resolve(prompt);
  }
}

const MAX_PRINTED_BYTES = 64 * 1024;

/** Revokes a login with the vendor's CLI, which tries only once. */
export async function revokeLogin(context: LoginCliContext, id: string, auth: string): Promise<void> {
  const home = await freshHome(context, id);
  try {
    await writeFile(join(home, 'auth.json'), auth, { mode: 0o600 });
    await logout(context, home, markOf(context, id));
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function logout(context: LoginCliContext, home: string, mark: string): Promise<void> {
  const tree = await run(context, await codexLogout(optionsOf(context, home)), { home, mark });
  for (const pipe of [tree.stdout, tree.stderr]) pipe.resume().on('error', () => undefined);
  const limit = setTimeout(
    () => void endTree({ child: tree, mark, politeSignal: 'SIGTERM', kill: true }),
    LOGOUT_TIMEOUT_MS,
  );
  await tree.exited;
  clearTimeout(limit);
  for (const pipe of [tree.stdout, tree.stderr]) pipe.destroy();
}

/** Milliseconds. */
const LOGOUT_TIMEOUT_MS = 20_000;

async function run(
  { account }: LoginCliContext,
  { command, args, env }: LoginCommand,
  { home, mark }: { readonly home: string; readonly mark: string },
): Promise<Tree> {
  await giveTree(home, account);
  return await spawnTree({ command, args, env, cwd: home, stdin: '', mark, account });
}

function optionsOf({ env, account }: LoginCliContext, home: string) {
  const own = { ...loginEnvironment(env, 'codex'), ...(account !== undefined && { HOME: home }) };
  return { home, env: own, practiceUrl: practiceUrl(env) };
}

function markOf({ markPrefix }: LoginCliContext, id: string): string {
  return `${markPrefix}login/${id}`;
}

async function freshHome({ env, account }: LoginCliContext, id: string): Promise<string> {
  const logins = join(env.PROMPTQ_WORK_DIR, 'logins');
  const home = join(logins, id);
  await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true, mode: 0o700 });
  if (account !== undefined) await chmod(logins, 0o711);
  return home;
}

/** What a person needs for a device login. */
export interface DevicePrompt {
  readonly verificationUri: string;
  readonly userCode: string;
  /** Milliseconds, counted from when it was printed. */
  readonly expiresIn: number;
}

/**
 * Finds address and code in what `codex login --device-auth` (0.169.0) has printed so far. It prints colours in any
 * case. undefined: address or code is not printed yet.
 */
export function readDevicePrompt(printed: string): DevicePrompt | undefined {
  const text = stripVTControlCharacters(printed);
  const verificationUri = /^[ \t]*(https?:\/\/\S+)[ \t]*\r?$/m.exec(text)?.[1];
  // Match a whole line: the code may have arrived in part.
  const userCode = /^[ \t]*([A-Z0-9]{4}-[A-Z0-9]{4,6})[ \t]*\r?\n/m.exec(text)?.[1];
  if (verificationUri === undefined || userCode === undefined) return undefined;
  const minutes = Number(/expires in (\d+) minutes?/.exec(text)?.[1] ?? DEFAULT_MINUTES);
  return { verificationUri, userCode, expiresIn: minutes * 60_000 };
}

const DEFAULT_MINUTES = 15;

/** How a login without a credential ended. */
export interface LoginFailure {
  readonly state: 'failed' | 'expired';
  readonly error: string;
}

/** Parses what the CLI printed on stderr before it gave up. The result does not contain the code. */
export function readLoginFailure(stderr: string, code: string | undefined): LoginFailure {
  const lines = stripVTControlCharacters(stderr).split('\n');
  const said = lines.findLast((line) => line.startsWith('Error ')) ?? lines.findLast((line) => line.trim() !== '');
  const plain = (said ?? 'it said nothing').replace(/^Error logging in: /, '').trim();
  if (/timed out|status 410/.test(plain)) return { state: 'expired', error: 'The code was not entered in time.' };
  if (/is not enabled/.test(plain)) return { state: 'failed', error: NOT_ENABLED };
  if (/device auth failed with status 4\d\d/.test(plain))
    return { state: 'failed', error: 'The login was denied at the vendor.' };
  const withoutCode = code === undefined ? plain : plain.replaceAll(code, MASK);
  return { state: 'failed', error: `The vendor's CLI ended the login: ${withoutCode}` };
}

const NOT_ENABLED =
  'The vendor does not allow device codes for this account: enable device code authorization for Codex in the security settings of ChatGPT, then start again.';
