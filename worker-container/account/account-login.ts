import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@aws-lambda-powertools/logger';
import { beaten, claimed, endedLogin, isUnderWay, LOGIN, type Login, unclaimed } from '../../lib/accounts/account.ts';
import type { AccountStore } from '../../lib/accounts/account-store.ts';
import type { AccountVendor } from '../../lib/contract/vendors.ts';
import { timestamp } from '../../lib/platform/aws/table-clock.ts';
import { accountOfLogin } from '../agents/codex-login.ts';
import type { CredentialFiles } from './credential-files.ts';
import {
  type DevicePrompt,
  LoginCli,
  type LoginCliContext,
  type LoginFailure,
  readLoginFailure,
  revokeLogin,
} from './login-cli.ts';

import { type LoginListener, listenForLogin } from './login-listener.ts';

export interface LoginContext extends LoginCliContext {
  readonly vendor: AccountVendor;
  readonly accounts: AccountStore;
  readonly credentials: CredentialFiles;
  readonly workerId: string;
  readonly log: Logger;
  /** The account has been linked. */
  readonly onLinked: () => Promise<void>;
}

/** What a person needs, with the time (ms, on the table's clock) at which the code expires. */
type Prompt = DevicePrompt & { readonly expiresAt: number };

/**
 * Runs a login to its end: approval, denial, expiry, cancellation, or the end of this worker (`stopping`). The one-time
 * code exists only in the memory of this process and its CLI.
 */
export async function runLogin(context: LoginContext, login: Login, stopping: AbortSignal): Promise<void> {
  const { accounts, vendor, env, log } = context;
  let prompt: Prompt | undefined;
  const listener = await listenForLogin({
    network: env.PROMPTQ_LOGIN_NETWORK,
    port: env.PROMPTQ_LOGIN_PORT,
    prompt: () => ({ login_id: login.id, ...(prompt !== undefined && shownPrompt(prompt)) }),
  });
  try {
    if (!(await claimLogin(context, login, listener))) return;
    log.info('login taken', { vendor, login_id: login.id });
    const end = await driveLogin(context, login, stopping, (found) => {
      prompt = { ...found, expiresAt: accounts.clock.now() + found.expiresIn };
    }).catch((error: Error): LoginFailure => {
      log.error('the login could not be run', error);
      return { state: 'failed', error: 'The login could not be run; the log of the worker says why.' };
    });
    if (end !== undefined) await accounts.change(vendor, (account) => endedLogin(account, login.id, end));
    log.info('login ended', { vendor, login_id: login.id, ...end });
  } finally {
    // Closed last: once the listener is gone, the record already says how the login ended.
    await listener.close();
  }
}

function shownPrompt({ verificationUri, userCode, expiresAt }: Prompt) {
  return { verification_uri: verificationUri, user_code: userCode, expires_at: timestamp(expiresAt) };
}

async function claimLogin({ accounts, vendor, workerId }: LoginContext, { id }: Login, { where }: LoginListener) {
  const by = { id, workerId, listener: where };
  const account = await accounts.change(vendor, (known, now) => claimed(known, by, now), { quietly: true });
  return account !== undefined;
}

/** @returns how to record the login; undefined: it is recorded already, as linked or as unwanted. */
async function driveLogin(
  context: LoginContext,
  login: Login,
  stopping: AbortSignal,
  onPrompt: (prompt: DevicePrompt) => void,
): Promise<LoginFailure | undefined> {
  const cli = await LoginCli.start(context, login.id);
  const over = Promise.withResolvers<LoginFailure | 'unwanted'>();
  const watch = new LoginWatch(context, login, () => over.resolve('unwanted'));
  const stop = () => over.resolve(STOPPED);
  stopping.addEventListener('abort', stop);
  let clock = setTimeout(() => over.resolve(SILENT), START_TIMEOUT_MS);
  let code: string | undefined;
  void cli.prompted.then((prompt) => {
    code = prompt.userCode;
    onPrompt(prompt);
    void watch.beat('awaiting_user');
    clearTimeout(clock);
    clock = setTimeout(() => over.resolve(EXPIRED), prompt.expiresIn);
  });
  try {
    if (stopping.aborted) stop();
    const end = await Promise.race([cli.exited, over.promise]);
    await cli.end();
    const auth = await cli.credential();
    const isDone = typeof end === 'object' && 'exitCode' in end && end.exitCode === 0;
    if (isDone && auth !== undefined && (await link(context, login, auth))) return undefined;
    // The login may have been approved just as it was cancelled. An unwanted credential must not remain valid.
    if (auth !== undefined) await cli.revoke();
    if (end === 'unwanted') return undefined;
    return 'state' in end ? end : readLoginFailure(cli.stderr, code);
  } finally {
    clearTimeout(clock);
    watch.stop();
    stopping.removeEventListener('abort', stop);
    await cli.end();
    await cli.dispose();
  }
}

async function link(context: LoginContext, login: Login, auth: string): Promise<boolean> {
  if (!(await context.credentials.link(login.id, auth, accountOfLogin(auth)))) return false;
  context.log.info('account linked', { vendor: context.vendor });
  await context.onLinked().catch((error: Error) => context.log.warn('waiting jobs deferred to reconcile-jobs', error));
  return true;
}

/** Milliseconds within which the CLI must have printed the address and the code. */
const START_TIMEOUT_MS = 60_000;

const EXPIRED: LoginFailure = { state: 'expired', error: 'The code was not entered in time.' };
const SILENT: LoginFailure = { state: 'failed', error: "The vendor's CLI gave no code; is the vendor reachable?" };
const STOPPED: LoginFailure = { state: 'failed', error: 'The worker was stopped; start the login again.' };

/**
 * How often the revocation of a login is tried. An image may lack the CLI, and as long as a login is left, the account
 * needs a worker.
 */
const MAX_REVOCATIONS = 3;

/** Of the worker's shutdown: stop polling; end a running login. */
interface Signals {
  readonly draining: AbortSignal;
  readonly stopping: AbortSignal;
}

/**
 * Polls for the work of the vendor account: a login to run, or one to revoke. It reads the registry instead of the
 * queues, because only a worker with a free slot receives messages.
 */
export class LoginRunner {
  readonly #context: LoginContext;
  readonly #signals: Signals;
  #busy = false;
  #usedAt = performance.now();
  /** By login, how often its revocation could not be tried. */
  readonly #failures = new Map<string, number>();

  constructor(context: LoginContext, signals: Signals) {
    this.#context = context;
    this.#signals = signals;
  }

  /** Milliseconds since a login or a logout last ran; 0 while one is running. */
  get idleSince(): number {
    return this.#busy ? 0 : performance.now() - this.#usedAt;
  }

  /** Runs until `draining` is aborted and no login or logout is running. */
  async run(): Promise<void> {
    const { credentials, log } = this.#context;
    const { draining } = this.#signals;
    await credentials.prepare().catch((error: Error) => log.warn('the folder of logins could not be prepared', error));
    while (!draining.aborted) {
      await this.#poll().catch((error: Error) => log.warn('polling the vendor account failed', error));
      if (this.#busy) this.#usedAt = performance.now();
      this.#busy = false;
      await sleep(LOGIN.pollEvery, undefined, { signal: draining }).catch(() => undefined);
    }
  }

  async #poll(): Promise<void> {
    const { accounts, credentials, vendor } = this.#context;
    const account = await accounts.read(vendor, { consistent: false });
    const login = unclaimed(account);
    this.#busy = login !== undefined || account.discarded.length > 0;
    if (login !== undefined) await runLogin(this.#context, login, this.#signals.stopping);
    if (account.discarded.length === 0) return;
    await credentials.discard(async (id, auth) => await this.#revoke(id, auth));
  }

  /** @throws Error if it is to be tried again */
  async #revoke(id: string, auth: string): Promise<void> {
    const { log, vendor } = this.#context;
    try {
      await revokeLogin(this.#context, id, auth);
      log.info('a login was revoked and removed', { vendor });
    } catch (error) {
      const failures = (this.#failures.get(id) ?? 0) + 1;
      this.#failures.set(id, failures);
      if (failures < MAX_REVOCATIONS) throw error;
      log.error('a login was removed without being revoked: end it in the account at the vendor', error as Error);
    }
  }
}

interface LoginWatchContext {
  readonly accounts: AccountStore;
  readonly vendor: AccountVendor;
  readonly log: Logger;
}

/** Renews the lease of a running login and detects when the login is no longer wanted. */
class LoginWatch {
  readonly #context: LoginWatchContext;
  readonly #login: Login;
  readonly #onUnwanted: () => void;
  readonly #timer: NodeJS.Timeout;
  #state: 'starting' | 'awaiting_user' = 'starting';
  #beatAt = performance.now();
  #busy = false;

  constructor(context: LoginWatchContext, login: Login, onUnwanted: () => void) {
    this.#context = context;
    this.#login = login;
    this.#onUnwanted = onUnwanted;
    this.#timer = setInterval(() => void this.#tick(), LOGIN.pollEvery);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Reports the progress of the login immediately. */
  async beat(state: 'starting' | 'awaiting_user'): Promise<void> {
    const isNews = state !== this.#state;
    this.#state = state;
    await this.#once(() => this.#beat(!isNews));
  }

  async #tick(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    const isDue = performance.now() - this.#beatAt >= LOGIN.beatEvery;
    await this.#once(() => (isDue ? this.#beat(true) : this.#poll()));
    this.#busy = false;
  }

  async #once(call: () => Promise<void>): Promise<void> {
    await call().catch((error: Error) => this.#context.log.warn('the lease of the login was not renewed', error));
  }

  async #beat(quietly: boolean): Promise<void> {
    const { accounts, vendor } = this.#context;
    const at = performance.now();
    const account = await accounts.change(vendor, (known, now) => beaten(known, this.#login.id, this.#state, now), {
      quietly,
    });
    if (account === undefined) return this.#onUnwanted();
    this.#beatAt = at;
  }

  async #poll(): Promise<void> {
    const { login } = await this.#context.accounts.read(this.#context.vendor);
    if (!isUnderWay(login) || login.id !== this.#login.id) this.#onUnwanted();
  }
}
