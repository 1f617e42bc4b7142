import type { Logger } from '@aws-lambda-powertools/logger';
import { beaten, isUnderWay, LOGIN, type Login } from '../../lib/accounts/account.ts';
import type { AccountStore } from '../../lib/accounts/account-store.ts';
import type { AccountVendor } from '../../lib/contract/vendors.ts';

interface LoginWatchContext {
  readonly accounts: AccountStore;
  readonly vendor: AccountVendor;
  readonly log: Logger;
}

/** Renews the lease of a running login and detects when the login is no longer wanted. */
export class LoginWatch {
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
