import { setTimeout as sleep } from 'node:timers/promises';
import { LOGIN, unclaimed } from '../../lib/accounts/account.ts';
import { type LoginContext, runLogin } from './account-login.ts';
import { revokeLogin } from './login-cli.ts';

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
