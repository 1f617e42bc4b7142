import { setTimeout as sleep } from 'node:timers/promises';
import { LOGIN, unclaimed } from '../../lib/accounts/account.ts';
import type { WorkerSignals } from '../pool/worker.ts';
import { type LoginContext, runLogin } from './account-login.ts';
import { revokeLogin } from './login-cli.ts';

/**
 * Looks whether the vendor account needs something of a worker: a login to be run, or one to be revoked. It asks the
 * registry instead of the queues, whose messages only a worker with a free slot takes.
 */
export class LoginRunner {
  readonly #context: LoginContext;
  readonly #signals: WorkerSignals;
  #busy = false;
  #usedAt = performance.now();

  constructor(context: LoginContext, signals: WorkerSignals) {
    this.#context = context;
    this.#signals = signals;
  }

  /** Milliseconds since a login or a logout was run; 0 while one is. */
  get idleSince(): number {
    return this.#busy ? 0 : performance.now() - this.#usedAt;
  }

  /** Until `draining` is aborted and nothing is being run. */
  async run(): Promise<void> {
    const { credentials, log } = this.#context;
    const { draining } = this.#signals;
    await credentials.removeStrays().catch((error: Error) => log.warn('old files of logins stay', error));
    while (!draining.aborted) {
      await this.#poll().catch((error: Error) => log.warn('the vendor account was not looked after', error));
      if (this.#busy) this.#usedAt = performance.now();
      this.#busy = false;
      await sleep(LOGIN.pollEvery, undefined, { signal: draining }).catch(() => undefined);
    }
  }

  async #poll(): Promise<void> {
    const { accounts, credentials, vendor, log } = this.#context;
    const account = await accounts.read(vendor, { consistent: false });
    const login = unclaimed(account);
    this.#busy = login !== undefined || account.discarded.length > 0;
    if (login !== undefined) await runLogin(this.#context, login, this.#signals.stopping);
    if (account.discarded.length === 0) return;
    await credentials.discard(async (id, auth) => {
      await revokeLogin(this.#context, id, auth);
      log.info('a login was revoked and removed', { vendor });
    });
  }
}
