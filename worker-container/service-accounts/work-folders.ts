import { constants, type FileHandle, mkdir, open, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { WorkerEnv } from '../../lib/config/env.ts';
import type { Folders } from '../../lib/jobs/working-folder.ts';
import { CLONES } from '../repository/kept-clone.ts';
import { isServiceAccount, type ServiceAccount } from './service-account.ts';
import { takeTree } from './untrusted-files.ts';

export interface WorkFolderOptions {
  /** Undefined: folders belong to this process's user. */
  readonly account: ServiceAccount | undefined;
  readonly folders: Folders;
  /** Absolute folders that no job works in, or below. */
  readonly closed: readonly string[];
}

/** What an attempt's folders follow from. */
interface FolderContext {
  readonly account?: ServiceAccount | undefined;
  readonly folders: Folders;
  readonly env: Pick<WorkerEnv, 'PROMPTQ_ACCOUNT_DIR' | 'PROMPTQ_WORK_DIR'>;
}

/** The folders of jobs that a slot runs: the worker's own ones are none. */
export function workFolders({ account, folders, env }: FolderContext): WorkFolders {
  const closed = [env.PROMPTQ_ACCOUNT_DIR, env.PROMPTQ_WORK_DIR, join(folders.workspaces, CLONES)];
  return new WorkFolders({ account, folders, closed });
}

/** Makes the folders that jobs work in, and lends them to the account that works there. */
export class WorkFolders {
  readonly #account: ServiceAccount | undefined;
  readonly #folders: Folders;
  readonly #closed: readonly string[];

  constructor({ account, folders, closed }: WorkFolderOptions) {
    this.#account = account;
    this.#folders = folders;
    this.#closed = closed;
  }

  /**
   * Makes a folder if need be, with those above it, and sees to it that the account can work there. A root stays whose it
   * is, and so does a folder outside the workspaces that somebody else has made.
   * @param folder.isPrivate Whether a new folder is for this account alone.
   * @throws Error with a plain message where no job may work.
   */
  async lend(path: string, { isPrivate }: { readonly isPrivate: boolean }): Promise<void> {
    if (this.#account === undefined) {
      await mkdir(path, { recursive: true });
      return;
    }
    const { root, names } = await this.#place(path);
    const account = this.#account;
    const isWorkspaces = root === this.#folders.workspaces;
    await mkdir(root, { recursive: true });
    let folder = await open(root, DIRECTORY);
    try {
      for (const [above, name] of names.entries()) {
        const { below, isNew } = await stepInto(folder, name);
        await folder.close();
        folder = below;
        const isLast = above === names.length - 1;
        const isProject = isWorkspaces && above === 0;
        if (!isNew) {
          if (isLast) await giveKnown(folder, account, { isWorkspaces, isProject });
        } else if (isProject && !isLast) {
          // It stays the worker's, or the jobs of a project could take each other's folders away.
          await folder.chmod(0o755);
        } else {
          await folder.chmod(isLast && isPrivate ? 0o700 : 0o775);
          await folder.chown(account.uid, account.gid);
        }
      }
    } catch (cause) {
      throw new Error(`cwd: ${path} can't be worked in: ${cause instanceof Error ? cause.message : cause}`, { cause });
    } finally {
      await folder.close();
    }
  }

  /** The real place of a folder, as a root and the names below it. */
  async #place(path: string): Promise<{ root: string; names: string[] }> {
    const real = await realpath(path).catch(() => path);
    const closed = await Promise.all(this.#closed.map(realOrSame));
    for (const root of [this.#folders.workspaces, ...this.#folders.roots]) {
      const realRoot = await realOrSame(root);
      // A folder that does not exist yet is named by the root as given.
      const names = namesBelow(realRoot, real) ?? namesBelow(root, real);
      if (names === undefined) continue;
      const place = join(realRoot, ...names);
      if (closed.some((own) => namesBelow(own, place) !== undefined || (names.length > 0 && namesBelow(place, own))))
        throw new Error(`cwd: ${path} is the worker's own`);
      return { root, names };
    }
    throw new Error(`cwd: ${path} leads out of the folders that jobs may work in`);
  }
}

async function giveKnown(
  folder: FileHandle,
  account: ServiceAccount,
  { isWorkspaces, isProject }: { readonly isWorkspaces: boolean; readonly isProject: boolean },
): Promise<void> {
  const owner = (await folder.stat()).uid;
  // In the workspaces the worker's are those that it died over.
  if (owner === account.uid || !(isServiceAccount(account, owner) || (isWorkspaces && owner === 0))) return;
  // Below a project's own folder are those of its jobs, which may be running.
  if (isProject) await folder.chown(account.uid, account.gid);
  else await takeTree(`/proc/${process.pid}/fd/${folder.fd}/.`, account);
}

async function realOrSame(path: string): Promise<string> {
  return await realpath(path).catch(() => path);
}

/** The names that lead from one folder to another; undefined: it isn't below. */
function namesBelow(folder: string, path: string): string[] | undefined {
  const way = relative(folder, path);
  if (way === '') return [];
  const names = way.split(sep);
  return names[0] === '..' ? undefined : names;
}

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY;

/** Opens a folder by the one above it, and never a link, so that nobody can plant one on the way that leads elsewhere. */
async function stepInto(above: FileHandle, name: string): Promise<{ below: FileHandle; isNew: boolean }> {
  const path = `/proc/self/fd/${above.fd}/${name}`;
  const isNew = await mkdir(path, { mode: 0o700 }).then(
    () => true,
    () => false,
  );
  const below = await open(path, DIRECTORY | constants.O_NOFOLLOW).catch((cause: unknown) => {
    throw new Error(`there is a link or a file named ${name} on the way, or it can't be opened`, { cause });
  });
  return { below, isNew };
}
