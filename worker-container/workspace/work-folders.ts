import { type FileHandle, mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Folders,
  type FolderUser,
  isPrivate,
  namesBelow,
  ownFolder,
  whyClosed,
} from '../../lib/jobs/lifecycle/working-folder.ts';
import type { WorkerEnv } from '../../lib/platform/config/worker-env.ts';
import { CLONES } from '../repository/kept-clone.ts';
import { isServiceAccount, type ServiceAccount } from '../service-accounts/service-account.ts';
import { takeTree } from '../service-accounts/untrusted-files.ts';
import { openRoot, pathOf, stepInto } from './open-folder.ts';

export interface WorkFolderOptions {
  /** Undefined: folders belong to this process's user. */
  readonly account: ServiceAccount | undefined;
  readonly folders: Folders;
  /** Absolute folders that no job may work in or below. */
  readonly closed: readonly string[];
}

/** Where an attempt's folders come from. */
interface WorkFoldersContext {
  readonly account?: ServiceAccount | undefined;
  readonly folders: Folders;
  readonly env: Pick<WorkerEnv, 'PROMPTQ_ACCOUNT_DIR' | 'PROMPTQ_WORK_DIR'>;
}

/** The folders of jobs that a slot runs. They exclude the worker's own. */
export function workFolders({ account, folders, env }: WorkFoldersContext): WorkFolders {
  const closed = [env.PROMPTQ_ACCOUNT_DIR, env.PROMPTQ_WORK_DIR, join(folders.workspaces, CLONES)];
  return new WorkFolders({ account, folders, closed });
}

/** A step from a root to a job's folder. */
interface Step {
  /** From the root to here. */
  readonly names: readonly string[];
  readonly isNew: boolean;
  readonly isWorkspaces: boolean;
  readonly account: ServiceAccount;
  readonly user: FolderUser;
}

/** Creates the folders that jobs work in, and gives their accounts access. */
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
   * Creates a folder and its parents if needed, and lets the account work there. A private folder belongs to the
   * account of its job's newest attempt; any other folder keeps its owner once an account has it.
   * @returns the folder to work in; no component below its root is a link.
   * @throws Error with a plain message if the job may not work there.
   */
  async lend(path: string, user: FolderUser): Promise<string> {
    if (this.#account === undefined) {
      await mkdir(path, { recursive: true });
      return path;
    }
    const { root, names } = await this.#place(path, user);
    const isWorkspaces = root === this.#folders.workspaces;
    await mkdir(root, { recursive: true });
    let folder = await openRoot(root);
    try {
      for (const [above, name] of names.entries()) {
        const { below, isNew } = await stepInto(folder, name);
        await folder.close();
        folder = below;
        const step = { names: names.slice(0, above + 1), isNew, isWorkspaces, user, account: this.#account };
        await openTo(folder, step);
      }
    } catch (cause) {
      throw new Error(`cwd: ${path} can't be worked in: ${cause instanceof Error ? cause.message : cause}`, { cause });
    } finally {
      await folder.close();
    }
    return join(root, ...names);
  }

  /**
   * The location of a folder, as a root and the names below it. Links may change at any time, so the names that are
   * checked here are also the ones that are opened later.
   */
  async #place(path: string, user: FolderUser): Promise<{ root: string; names: string[] }> {
    const real = await realOrSame(path);
    const closed = await Promise.all(this.#closed.map(realOrSame));
    for (const root of [this.#folders.workspaces, ...this.#folders.roots]) {
      const realRoot = await realOrSame(root);
      // A folder that does not exist yet is below the root as configured, not resolved.
      const names = namesBelow(realRoot, real) ?? namesBelow(root, real);
      if (names === undefined) continue;
      const place = join(realRoot, ...names);
      if (closed.some((own) => namesBelow(own, place) !== undefined || (names.length > 0 && namesBelow(place, own))))
        throw new Error(`cwd: ${path} is the worker's own`);
      const why = root === this.#folders.workspaces ? whyClosed(names, user) : undefined;
      if (why !== undefined) throw new Error(`cwd: ${path} leads to ${place}; ${why}`);
      return { root, names };
    }
    throw new Error(`cwd: ${path} leads out of the folders that jobs may work in`);
  }
}

/** Lets the account into one folder of the path. */
async function openTo(folder: FileHandle, step: Step): Promise<void> {
  const { names, isNew, isWorkspaces, user, account } = step;
  if (isWorkspaces && names.length === 1) return await keepProject(folder, account);
  const { uid: owner, mode } = await folder.stat();
  const isRootOfPrivate = isWorkspaces && names.length === 2 && isPrivate(names);
  const isOwn = isRootOfPrivate && names[1] === (user.continues === undefined ? user.id : ownFolder(user));
  // In the workspaces, a folder that the worker owns is new, or the worker died before giving it away.
  if (isNew || (isWorkspaces && owner === process.getuid?.())) {
    await folder.chmod(isOwn ? 0o700 : isRootOfPrivate ? 0o770 : 0o775);
    await folder.chown(account.uid, account.gid);
  } else if (isRootOfPrivate && isServiceAccount(account, owner) && (mode & GROUP) !== GROUP) {
    // No one else works here: until now it was open to attempts of one job only.
    if (!isOwn) await openToGroup(folder, owner, account.gid);
    else if (owner !== account.uid) await takeTree(`${pathOf(folder)}/.`, account);
  }
}

/** Read, write and search of the group that all slots are in. */
const GROUP = 0o070;

/** A project's folder belongs to the worker. Its owner could put a link in place of another job's folder. */
async function keepProject(folder: FileHandle, account: ServiceAccount): Promise<void> {
  const { uid, mode } = await folder.stat();
  if (isServiceAccount(account, uid)) await folder.chown(0, 0);
  if ((isServiceAccount(account, uid) || uid === 0) && (mode & 0o777) !== 0o755) await folder.chmod(0o755);
}

/** Only the owner can change a mode. Meanwhile the group has the access of the old owner. */
async function openToGroup(folder: FileHandle, owner: number, gid: number): Promise<void> {
  await folder.chown(0, gid);
  await folder.chmod(0o770);
  await folder.chown(owner, gid);
}

async function realOrSame(path: string): Promise<string> {
  return await realpath(path).catch(() => path);
}
