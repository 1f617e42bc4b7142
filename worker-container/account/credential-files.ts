import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { linked, renewed } from '../../lib/accounts/account.ts';
import type { AccountStore } from '../../lib/accounts/account-store.ts';
import type { AccountVendor } from '../../lib/contract/vendors.ts';

/** A login as it counts now. */
export interface HeldCredential {
  /** The CLI's file, whole. */
  readonly text: string;
  readonly generation: number;
}

/**
 * The login of a vendor account, in a folder that all workers share. A file is written once and never changed; which
 * one counts says the registry, so that a conditional write there decides between machines, and no lock is needed.
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

  /** The generation that counts now; undefined: no account is linked. */
  async generation(): Promise<number | undefined> {
    const { credential, generation } = await this.#accounts.read(this.#vendor);
    return credential === undefined ? undefined : generation;
  }

  /** @throws Error if the file that counts is not there */
  async read(): Promise<HeldCredential | undefined> {
    for (let tries = 1; ; tries += 1) {
      const { credential, generation } = await this.#accounts.read(this.#vendor);
      if (credential === undefined) return undefined;
      try {
        return { text: await readFile(join(this.#folder, credential.file), 'utf8'), generation };
      } catch (cause) {
        // It was replaced just now; or a network file system still remembers that it was not there.
        if (tries === POLLS) throw new Error(`the login of account ${this.#vendor} can't be read`, { cause });
        await sleep(tries * RETRY_PAUSE_MS);
      }
    }
  }

  /** Links the account by a login's outcome. @returns false: the login is not wanted any more. */
  async link(loginId: string, text: string, account: string | undefined): Promise<boolean> {
    const file = await this.#write(text);
    const credential = { file, ...(account !== undefined && { account }) };
    return await this.#keepIf(file, (current) => linked(current, loginId, credential));
  }

  /** Puts a renewed login in the place of the one it was made from. @returns its generation; undefined: that one does not count any more. */
  async renew(from: number, text: string): Promise<number | undefined> {
    const before = await this.#accounts.read(this.#vendor);
    if (before.generation !== from) return undefined;
    const file = await this.#write(text);
    if (!(await this.#keepIf(file, (current) => renewed(current, from, file)))) return undefined;
    if (before.credential !== undefined) await this.#remove(before.credential.file);
    return from + 1;
  }

  /** Hands out each login that is to be revoked, then removes it. */
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

  /** Removes what a worker left that died between writing a file and saying that it counts. */
  async removeStrays(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    if (names.length === 0) return;
    const { credential, discarded } = await this.#accounts.read(this.#vendor);
    for (const name of names) {
      if (name === credential?.file || discarded.includes(name)) continue;
      // Another worker may be about to say that it counts.
      const written = await stat(join(this.#folder, name)).catch(() => undefined);
      if (written !== undefined && written.mtimeMs < Date.now() - STRAY_AFTER) await this.#remove(name);
    }
  }

  async #keepIf(file: string, update: Parameters<AccountStore['change']>[1]): Promise<boolean> {
    let failure: unknown;
    await this.#accounts.change(this.#vendor, update).catch((error: unknown) => {
      failure = error;
    });
    // A write whose answer was lost looks like a refusal: what counts says the registry.
    const { credential } = await this.#accounts.read(this.#vendor);
    if (credential?.file === file) return true;
    await this.#remove(file);
    if (failure !== undefined) throw failure;
    return false;
  }

  async #write(text: string): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
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
const STRAY_AFTER = 3_600_000;
