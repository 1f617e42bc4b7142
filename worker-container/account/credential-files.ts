import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { linked, renewed } from '../../lib/accounts/account.ts';
import type { AccountStore } from '../../lib/accounts/account-store.ts';
import type { AccountVendor } from '../../lib/contract/vendors.ts';

/** The current login. */
interface HeldCredential {
  /** The CLI's file in full. */
  readonly text: string;
  readonly generation: number;
}

/**
 * The login of a vendor account, in a folder that all workers share. A file is written once and never changed. The
 * registry names the current one: a conditional write there decides between machines, so no lock is needed.
 */
export class CredentialFiles {
  readonly #folder: string;
  readonly #accounts: AccountStore;
  readonly #vendor: AccountVendor;

  constructor(folder: string, accounts: AccountStore, vendor: AccountVendor) {
    this.#folder = folder;
    this.#accounts = accounts;
    this.#vendor = vendor;
  }

  /** The current generation; undefined: no account is linked. */
  async generation(): Promise<number | undefined> {
    const { credential, generation } = await this.#accounts.read(this.#vendor);
    return credential === undefined ? undefined : generation;
  }

  /** @throws Error if the current file does not exist */
  async read(): Promise<HeldCredential | undefined> {
    for (let tries = 1; ; tries += 1) {
      const { credential, generation } = await this.#accounts.read(this.#vendor);
      if (credential === undefined) return undefined;
      try {
        return { text: await readFile(join(this.#folder, credential.file), 'utf8'), generation };
      } catch (cause) {
        // The file was just replaced, or a network file system still caches its absence.
        if (tries === POLLS) throw new Error(`the login of account ${this.#vendor} can't be read`, { cause });
        await sleep(tries * RETRY_PAUSE_MS);
      }
    }
  }

  /** Links the account with the result of a login. @returns false: the login is no longer wanted. */
  async link(loginId: string, text: string, account: string | undefined): Promise<boolean> {
    const file = await this.#write(text);
    const credential = { file, ...(account !== undefined && { account }) };
    return await this.#keepIf(file, (current) => linked(current, loginId, credential));
  }

  /** Replaces a login with its renewal. @returns the new generation; undefined: `from` is no longer the current one. */
  async renew(from: number, text: string): Promise<number | undefined> {
    const before = await this.#accounts.read(this.#vendor);
    if (before.generation !== from) return undefined;
    const file = await this.#write(text);
    if (!(await this.#keepIf(file, (current) => renewed(current, from, file)))) return undefined;
    if (before.credential !== undefined) await this.#remove(before.credential.file);
    return from + 1;
  }

  /** Passes each login that is to be revoked to `revoke`, then removes its file. */
  async discard(revoke: (id: string, text: string) => Promise<void>): Promise<void> {
    const { discarded } = await this.#accounts.read(this.#vendor);
    for (const file of discarded) {
      const text = await readFile(join(this.#folder, file), 'utf8').catch(() => undefined);
      if (text !== undefined) await revoke(file, text);
      await this.#remove(file);
      await this.#accounts.change(
        this.#vendor,
        (account) => ({
          ...account,
          discarded: account.discarded.filter((name) => name !== file),
        }),
        { quietly: true },
      );
    }
  }

  /**
   * Creates the folder, because a network file system remembers for a minute that a folder is missing, and removes the
   * files of a worker that died after writing one and before registering it.
   */
  async prepare(): Promise<void> {
    await this.#makeFolder();
    const names = await readdir(this.#folder);
    if (names.length === 0) return;
    const { credential, discarded } = await this.#accounts.read(this.#vendor);
    for (const name of names) {
      if (name === credential?.file || discarded.includes(name)) continue;
      // Another worker may be about to register this file.
      const written = await stat(join(this.#folder, name)).catch(() => undefined);
      if (written !== undefined && written.mtimeMs < Date.now() - STRAY_AFTER_MS) await this.#remove(name);
    }
  }

  async #keepIf(file: string, update: Parameters<AccountStore['change']>[1]): Promise<boolean> {
    let failure: unknown;
    await this.#accounts.change(this.#vendor, update).catch((error: unknown) => {
      failure = error;
    });
    // A write whose response was lost looks like a rejection: only the registry tells them apart.
    const { credential } = await this.#accounts.read(this.#vendor);
    if (credential?.file === file) return true;
    await this.#remove(file);
    if (failure !== undefined) throw failure;
    return false;
  }

  async #makeFolder(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
  }

  async #write(text: string): Promise<string> {
    await this.#makeFolder();
    const name = `auth-${randomUUID()}.json`;
    const path = join(this.#folder, name);
    const handle = await open(`${path}.new`, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(`${path}.new`, path);
    return name;
  }

  async #remove(name: string): Promise<void> {
    await rm(join(this.#folder, name), { force: true });
  }
}

const POLLS = 8;
/** Milliseconds. */
const RETRY_PAUSE_MS = 100;
const STRAY_AFTER_MS = 3_600_000;
