import { mkdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@aws-lambda-powertools/logger';
import { type Folders, type FolderUser, namesBelow, whyClosed } from '../../lib/jobs/lifecycle/working-folder.ts';
import type { WorkerEnv } from '../../lib/platform/config/worker-env.ts';
import { CLONES } from '../repository/kept-clone.ts';
import { keepNamedFolder } from '../service-accounts/leftover-files.ts';
import type { ServiceAccount } from '../service-accounts/service-account.ts';
import { closeTo, openRoot, openTo, stepInto, withFolder } from './folder-access.ts';

interface WorkFolderOptions {
  /** Undefined: folders belong to this process's user. */
  readonly account: ServiceAccount | undefined;
  readonly folders: Folders;
  /** Absolute folders that no job may work in or below. */
  readonly closed: readonly string[];
  /** Default: it is dropped that a folder was not closed. */
  readonly log?: Pick<Logger, 'warn'>;
}

/** Where an attempt's folders come from. */
interface WorkFoldersContext {
  readonly account?: ServiceAccount | undefined;
  readonly folders: Folders;
  readonly env: Pick<WorkerEnv, 'PROMPTQ_ACCOUNT_DIR' | 'PROMPTQ_WORK_DIR'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** How long (ms) to wait until folders are closed: a file system that does not answer must not hold up an outcome. */
const CLOSE_TIMEOUT_MS = 10_000;

/** The folders of jobs that a slot runs. They exclude the worker's own. */
export function workFolders({ account, folders, env, log }: WorkFoldersContext): WorkFolders {
  const closed = [env.PROMPTQ_ACCOUNT_DIR, env.PROMPTQ_WORK_DIR, join(folders.workspaces, CLONES)];
  return new WorkFolders({ account, folders, closed, log });
}

/** Creates the folders that jobs work in, and gives their accounts access. */
export class WorkFolders {
  readonly #account: ServiceAccount | undefined;
  readonly #folders: Folders;
  readonly #closed: readonly string[];
  readonly #log: Pick<Logger, 'warn'> | undefined;
  /** Private folders that no other job may use, as paths below the workspaces. */
  #lent = new Set<string>();

  constructor({ account, folders, closed, log }: WorkFolderOptions) {
    this.#account = account;
    this.#folders = folders;
    this.#closed = closed;
    this.#log = log;
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
    if (!isWorkspaces) keepNamedFolder(join(await realOrSame(root), ...names));
    await mkdir(root, { recursive: true });
    let folder = await openRoot(root);
    try {
      for (const [above, name] of names.entries()) {
        const { below, isNew } = await stepInto(folder, name);
        await folder.close();
        folder = below;
        const step = { names: names.slice(0, above + 1), isNew, isWorkspaces, user, account: this.#account };
        const isForOneJob = await openTo(folder, step);
        if (isForOneJob) this.#lent.add(join(...step.names));
      }
    } catch (cause) {
      throw new Error(`cwd: ${path} can't be worked in: ${cause instanceof Error ? cause.message : cause}`, { cause });
    } finally {
      await folder.close();
    }
    return join(root, ...names);
  }

  /**
   * Closes the private folders that it has lent, except those that several jobs share: a later job under the same
   * account must not change what their own jobs run next. Call it when no process of the job is left, and before others
   * may work there. A failure is logged: the folder then stays open to its account until it is lent again.
   */
  async close(): Promise<void> {
    const [account, lent] = [this.#account, this.#lent];
    this.#lent = new Set();
    if (account === undefined || lent.size === 0) return;
    const over = new AbortController();
    const closing = Array.from(lent, async (path) => {
      const isClosed = await withFolder(this.#folders.workspaces, path.split(sep), async (folder) => {
        await closeTo(folder, account, over.signal);
        return true;
      });
      if (isClosed !== true) throw new Error(`${path} can't be opened`);
    });
    const failure = await Promise.race([
      Promise.all(closing).then(() => undefined),
      sleep(CLOSE_TIMEOUT_MS, new Error('the file system does not answer'), { ref: false, signal: over.signal }),
    ]).catch((error: Error) => error);
    over.abort();
    if (failure !== undefined)
      this.#log?.warn('a private folder stays open to its account until its job runs again', failure);
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

async function realOrSame(path: string): Promise<string> {
  return await realpath(path).catch(() => path);
}
