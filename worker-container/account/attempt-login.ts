import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from '../../lib/jobs/receipts/receipt.ts';
import { AGENT_FOLDER } from '../agents/agent.ts';
import { accountOfLogin, CODEX_HOME, isLogin, isRenewal, secretsOfLogin } from '../agents/codex-login.ts';
import { ownerOf, type ServiceAccount } from '../service-accounts/service-account.ts';
import { readOwned } from '../service-accounts/untrusted-files.ts';
import type { CredentialFiles } from './credential-files.ts';

/** No vendor account is linked: the job waits for one. */
export class AccountRequiredError extends Error {
  override readonly name = 'AccountRequiredError';
}

/**
 * The login of one attempt: a copy in the CLI's own folder. Renewals by the CLI are written back while it runs: a
 * refresh token can be used once, and other attempts need its successor.
 */
export class AttemptLogin {
  readonly #credentials: CredentialFiles;
  readonly #attemptDir: string;
  readonly #owner: number | undefined;
  readonly #onFailure: (error: unknown) => void;
  #text: string;
  /** A login in the CLI's folder that is no renewal. */
  #refused: string | undefined;
  /** The generation of the copy, or of its latest renewal; undefined: the copy is outdated. */
  #generation: number | undefined;
  readonly #began: number;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  private constructor(
    credentials: CredentialFiles,
    copy: { attemptDir: string; text: string; generation: number },
    { account, onFailure }: LoginCopyOptions,
  ) {
    this.#credentials = credentials;
    this.#attemptDir = copy.attemptDir;
    this.#owner = ownerOf(account);
    this.#text = copy.text;
    this.#generation = copy.generation;
    this.#began = copy.generation;
    this.#onFailure = onFailure;
  }

  /**
   * Copies the current login into the CLI's folder of an attempt. No other user may be able to write there yet.
   * @throws AccountRequiredError if no account is linked
   */
  static async copyInto(
    attemptDir: string,
    credentials: CredentialFiles,
    options: LoginCopyOptions,
  ): Promise<AttemptLogin> {
    const received = await credentials.read();
    if (received === undefined) throw new AccountRequiredError('No vendor account is linked.');
    const file = loginFile(attemptDir);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, received.text, { mode: 0o600 });
    await noteGeneration(attemptDir, received.generation);
    const login = new AttemptLogin(credentials, { attemptDir, ...received }, options);
    login.#timer = setInterval(() => void login.#poll(), POLL_INTERVAL_MS);
    return login;
  }

  /** Values to mask in all output. */
  get secrets(): string[] {
    return secretsOfLogin(this.#text);
  }

  /** The vendor's name for the account; undefined: the login does not have it. */
  get account(): string | undefined {
    return accountOfLogin(this.#text);
  }

  /** Writes back the CLI's last renewal. Call it once the CLI has ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#poll();
  }

  /** Restarts a rejected run, without counting the attempt, if a newer login than its own is available. */
  async reviseOutcome(outcome: Outcome): Promise<Outcome> {
    if (outcome.kind !== 'parked' || outcome.reason !== 'account_required') return outcome;
    // The attempt that used the refresh token up is about to write the renewed login back.
    const timeoutMs = USED_UP.test(outcome.error ?? '') ? TIMEOUT_MS : 0;
    for (let waited = 0; ; waited += POLL_INTERVAL_MS) {
      const current = await this.#credentials.generation();
      if (current !== undefined && current !== this.#began && current !== this.#generation)
        return { ...outcome, kind: 'handed_back' };
      if (current === undefined || waited >= timeoutMs) return outcome;
      await sleep(POLL_INTERVAL_MS);
    }
  }

  /** One poll at a time: two would write the same renewal back twice. */
  async #poll(): Promise<void> {
    this.#looking = this.#looking.then(async () => await this.#writeBack().catch(this.#onFailure));
    await this.#looking;
  }

  async #writeBack(): Promise<void> {
    if (this.#generation === undefined) return;
    const text = (await readOwned(loginFile(this.#attemptDir), (uid) => uid === this.#owner)) ?? '';
    // The CLI may be writing the file right now, or may have logged out.
    if (text === this.#text || text === this.#refused || !isLogin(text)) return;
    if (!isRenewal(text, this.#text)) {
      this.#refused = text;
      throw new Error('the job has replaced its login by one that is no renewal of it');
    }
    this.#generation = await this.#credentials.renew(this.#generation, text);
    this.#text = text;
    if (this.#generation !== undefined) await noteGeneration(this.#attemptDir, this.#generation);
  }
}

interface LoginCopyOptions {
  /** The account that the CLI runs under; undefined: this process's user. */
  readonly account: ServiceAccount | undefined;
  readonly onFailure: (error: unknown) => void;
}

function loginFile(attemptDir: string): string {
  return join(attemptDir, AGENT_FOLDER, CODEX_HOME, 'auth.json');
}

/** The generation of the copied login, out of the CLI's reach: the next worker needs it if this one dies. */
const GENERATION = 'login-generation';

async function noteGeneration(attemptDir: string, generation: number): Promise<void> {
  await writeFile(join(attemptDir, GENERATION), String(generation), { mode: 0o600 });
}

/**
 * Writes back what a CLI had renewed in an attempt's folder when its worker died: the stored login may be used up.
 * @param isOwner whether attempts ran as this user.
 */
export async function recoverRenewal(
  attemptDir: string,
  credentials: CredentialFiles,
  isOwner: (uid: number) => boolean,
): Promise<void> {
  const generation = Number(await readFile(join(attemptDir, GENERATION), 'utf8').catch(() => 'none'));
  const text = (await readOwned(loginFile(attemptDir), isOwner)) ?? '';
  if (Number.isNaN(generation) || !isLogin(text)) return;
  const received = await credentials.read();
  if (received !== undefined && isRenewal(text, received.text)) await credentials.renew(generation, text);
}

/** Milliseconds. */
const POLL_INTERVAL_MS = 500;
const TIMEOUT_MS = 5_000;

/** codex 0.169.0 */
const USED_UP = /refresh token was already used/i;
