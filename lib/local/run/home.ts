import { constants } from 'node:fs';
import { access, chmod, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { STORE_FORMAT } from '../../platform/store-format.ts';
import { defaultHome } from './default-home.ts';
import { HomeError } from './home-error.ts';

/** A running service's entry for other processes of this machine, in `local.json`. */
const localInfoSchema = z.object({
  /** Without `/api/v1`. */
  base_url: z.string(),
  console_url: z.string(),
  /** Has every scope. */
  token: z.string(),
  /** The process to signal. */
  pid: z.number(),
});
export type LocalInfo = z.output<typeof localInfoSchema>;

/** The operator's access to a run's tables and practice vendor, in `operator.json`. */
const operatorInfoSchema = z.object({
  dynamodb: z.url(),
  registry_table: z.string(),
  practice_url: z.url(),
  practice_key: z.string(),
  /** The stand-ins of messengers, by name: the page for people, and the target of a subscription. */
  messengers: z
    .record(z.string(), z.object({ page: z.url(), target: z.record(z.string(), z.string().or(z.array(z.string()))) }))
    .default({}),
  /** The environment of the run's functions: names, addresses, and the run's credentials. */
  environment: z.record(z.string(), z.string()),
});
export type OperatorInfo = z.output<typeof operatorInfoSchema>;

/** Folders that slots have no access to. */
const PRIVATE_FOLDERS = ['dynamodb', 's3', 'logs', 'practice'] as const;

/** The file with the format of the home's data. */
const FORMAT_FILE = 'format';

/** The folder with all data of a local run. */
export class Home {
  /** The real path: one folder is one home, whatever links lead to it. */
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /**
   * Opens a home; creates a missing one with access for this user alone.
   * @param given the operator's path, relative to the current folder; undefined or empty: the default of that folder
   * @throws HomeError if it is no folder that this user can write, or its format is not that of this version
   */
  static async open(given: string | undefined): Promise<Home> {
    const path = given ? resolve(given) : defaultHome();
    const there = await stat(path).catch(() => undefined);
    if (there !== undefined && !there.isDirectory())
      throw new HomeError(`the home ${path} is not a folder; set PROMPTQ_HOME to a folder`);
    await requireFormat(path);
    try {
      if (there === undefined) await mkdir(path, { recursive: true, mode: 0o700 });
      await access(path, constants.W_OK);
      return new Home(await realpath(path));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new HomeError(
        `the home ${path} can't be used: ${reason}. Set PROMPTQ_HOME to a folder that this user can write`,
        { cause: error },
      );
    }
  }

  /**
   * Makes an existing folder this user's: removes other users' access, and hides it from a repository around it.
   * @param options.passable whether slots with separate accounts may traverse it to their workspaces; they can't list
   *   it
   * @throws Error if the folder is another user's
   */
  async close({ passable }: { readonly passable: boolean }): Promise<void> {
    await chmod(this.path, passable ? 0o711 : 0o700);
    // Before the folders that show that the home is in use.
    await this.#write(FORMAT_FILE, `${STORE_FORMAT}\n`);
    for (const name of PRIVATE_FOLDERS) {
      await mkdir(this.folder(name), { recursive: true, mode: 0o700 });
      await chmod(this.folder(name), 0o700);
    }
    await this.#write('.gitignore', '*\n');
  }

  folder(name: 'dynamodb' | 's3' | 'logs' | 'worker' | 'workspaces' | 'practice'): string {
    return join(this.path, name);
  }

  /** The entry of the service that runs on this home; undefined if none does or it isn't ready. */
  async readInfo(): Promise<LocalInfo | undefined> {
    const text = await readIfThere(join(this.path, 'local.json'));
    return text === undefined ? undefined : localInfoSchema.safeParse(parseJson(text)).data;
  }

  async writeInfo(info: LocalInfo): Promise<void> {
    await this.#write('local.json', `${JSON.stringify(info)}\n`);
  }

  async readOperatorInfo(): Promise<OperatorInfo | undefined> {
    const text = await readIfThere(join(this.path, 'operator.json'));
    return text === undefined ? undefined : operatorInfoSchema.safeParse(parseJson(text)).data;
  }

  async writeOperatorInfo(info: OperatorInfo): Promise<void> {
    await this.#write('operator.json', `${JSON.stringify(info)}\n`);
  }

  async removeInfo(): Promise<void> {
    for (const name of ['local.json', 'operator.json']) await rm(join(this.path, name), { force: true });
  }

  /** The token of earlier runs. */
  async readToken(): Promise<string | undefined> {
    return (await readIfThere(join(this.path, 'token')))?.trim();
  }

  async writeToken(token: string): Promise<void> {
    await this.#write('token', `${token}\n`);
  }

  /** The content of a file that only this user can read; created if it is missing. */
  async keep(
    name:
      | 'oidc-client-secret'
      | 'oidc-key.json'
      | 'practice-key'
      | 'browser-name'
      | 'telegram-stand-in-token'
      | 'slack-stand-in-secrets',
    make: () => string,
  ): Promise<string> {
    const known = await readIfThere(join(this.path, name));
    if (known !== undefined) return known;
    const made = make();
    await this.#write(name, made);
    return made;
  }

  /** Writes atomically, readable by this user only. */
  async #write(name: string, text: string): Promise<void> {
    const path = join(this.path, name);
    await rm(`${path}.new`, { force: true });
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
  }
}

/** Reads only: a home of another format stays as it is. */
async function requireFormat(path: string): Promise<void> {
  const format = (await readIfThere(join(path, FORMAT_FILE)))?.trim();
  const isUsed = (await stat(join(path, 'dynamodb')).catch(() => undefined)) !== undefined;
  if (format === STORE_FORMAT || (format === undefined && !isUsed)) return;
  const found = /^\d{1,9}$/.test(format ?? '') ? `format ${format}` : 'an unknown format';
  throw new HomeError(
    `the data in the home ${path} has ${format === undefined ? 'a format of before the first release' : found}; ` +
      `this version reads format ${STORE_FORMAT}, and has changed nothing. Start with another home (--home or ` +
      `PROMPTQ_HOME), or remove this folder to begin with no jobs`,
  );
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
