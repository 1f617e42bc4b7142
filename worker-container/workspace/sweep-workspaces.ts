import { lstat, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@aws-lambda-powertools/logger';
import { isJobId } from '../../lib/jobs/lifecycle/job-id.ts';
import type { JobStore } from '../../lib/jobs/store/job-store.ts';
import { isFolderUnused } from '../../lib/jobs/threads/folder-users.ts';
import type { ThreadStore } from '../../lib/jobs/threads/thread-store.ts';
import { type Clock, timestamp } from '../../lib/platform/aws/table-clock.ts';
import { isUnavailable } from '../../lib/platform/aws/unavailable.ts';
import type { SharedLocks } from '../../lib/platform/shared-lock.ts';
import { CLONES, RECORDS } from '../repository/kept-clone.ts';
import { removeTree } from '../service-accounts/untrusted-files.ts';
import { pathOf, withFolder } from './folder-access.ts';

interface WorkspaceSweep {
  readonly workspaces: string;
  /** Days until a job's own folder is removed, from the last end among all jobs that work in it; 0: never. */
  readonly days: number;
  readonly jobs: Pick<JobStore, 'find' | 'findAll'>;
  readonly threads: Pick<ThreadStore, 'turns' | 'forks'>;
  readonly locks: SharedLocks;
  readonly clock: Clock;
  readonly workerId: string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** The lock of the worker that sweeps, or swept last. */
export const SWEEP_LOCK = 'sweep-workspaces';

const DAY_MS = 86_400_000;
/** Milliseconds without a change after which a folder is removed whose job was removed. */
const ORPHANED_MS = 3_600_000;
/** Milliseconds in which no other worker sweeps. */
const SWEPT_FOR = 3_500_000;
/** Most folders that one sweep removes. */
const MAX_REMOVED = 1_000;
/** Suffix of a folder that is being removed, so that no job finds it. */
const GOING = '.going';

/**
 * Removes the private folders of jobs without a `cwd`, some days after their ends, and the worktrees' records in the
 * kept clones. Folders that a `cwd` names belong to their owners and stay.
 * @returns how many; 0 if another worker swept recently.
 */
export async function sweepWorkspaces(sweep: WorkspaceSweep): Promise<number> {
  const { workspaces, days, locks, workerId } = sweep;
  if (days === 0 || !(await locks.take(SWEEP_LOCK, workerId, SWEPT_FOR))) return 0;
  let removed = 0;
  for (const project of await foldersIn(workspaces)) {
    if (project.startsWith('.')) continue;
    for (const name of await foldersIn(join(workspaces, project))) {
      if (removed >= MAX_REMOVED) return removed;
      if (await removeIfOver(sweep, project, name)) removed += 1;
    }
  }
  await removeEarlierClones(sweep);
  return removed;
}

/** @returns whether it was removed. A folder that can't be removed, or a job that can't be read, keeps no other. */
async function removeIfOver(sweep: WorkspaceSweep, project: string, name: string): Promise<boolean> {
  const { workspaces, log } = sweep;
  const [id = ''] = name.split('.');
  try {
    if (!isJobId(id) || !(name.endsWith(GOING) || (await isOver(sweep, id, join(workspaces, project, name)))))
      return false;
    await withFolder(workspaces, [project], async (above) => await remove(join(pathOf(above), name)));
    await removeRecords(workspaces, project, id);
    return true;
  } catch (error) {
    if (isUnavailable(error)) throw error;
    log.warn('a folder of a job was not removed', { project, folder: name, error: error as Error });
    return false;
  }
}

/** Removes unused clones of the earlier layout, `PROJECT-HASH.git`: no worktree, and unchanged for as many days. */
async function removeEarlierClones({ workspaces, clock, days }: WorkspaceSweep): Promise<void> {
  for (const name of await foldersIn(join(workspaces, CLONES))) {
    const clone = join(workspaces, CLONES, name);
    if (!name.endsWith('.git') || (await foldersIn(join(clone, RECORDS))).length > 0) continue;
    if ((await lstat(clone)).mtimeMs < clock.now() - days * DAY_MS) await removeTree(clone);
  }
}

async function isOver(sweep: WorkspaceSweep, id: string, folder: string): Promise<boolean> {
  const { jobs, clock, days } = sweep;
  const since = clock.now() - days * DAY_MS;
  const job = await jobs.find(id);
  if (job === 'newer') return false;
  // The other jobs that used it were removed before.
  if (job === undefined) return (await lstat(folder)).mtimeMs < clock.now() - ORPHANED_MS;
  return await isFolderUnused(sweep, job, timestamp(since));
}

/** Renames it first, out of the way of a retry. */
async function remove(folder: string): Promise<void> {
  const going = folder.endsWith(GOING) ? folder : `${folder}${GOING}`;
  if (going !== folder) {
    // Left by a worker that died while it removed an earlier folder of the job.
    await removeTree(going);
    await rename(folder, going);
  }
  await removeTree(going);
}

/** Where a clone keeps the records of one worktree. In clones of the earlier layout, jobs can change these folders. */
function recordsOf(id: string): readonly (readonly [folder: readonly string[], name: string])[] {
  return [
    [[RECORDS], `${id}.json`],
    [[RECORDS], `${id}.bundle`],
    [[RECORDS], id],
    [['refs', 'heads', 'promptq'], id],
  ];
}

async function removeRecords(workspaces: string, project: string, id: string): Promise<void> {
  const clones = join(workspaces, CLONES);
  for (const clone of await foldersIn(clones)) {
    if (!clone.startsWith(`${project}-`)) continue;
    for (const [names, name] of recordsOf(id))
      await withFolder(clones, [clone, ...names], async (above) => await removeTree(join(pathOf(above), name)));
  }
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Milliseconds. */
const SWEEP_INTERVAL_MS = 3_600_000;

/** Sweeps the workspaces now and every hour, until it is stopped. */
export class WorkspaceSweeper {
  readonly #sweep: WorkspaceSweep;
  #timer: NodeJS.Timeout | undefined;
  #isSweeping = false;

  constructor(sweep: WorkspaceSweep) {
    this.#sweep = sweep;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#run(), SWEEP_INTERVAL_MS);
    void this.#run();
  }

  /**
   * Call it when the process is about to exit. The next worker continues a sweep that this cuts off: to remove a large
   * folder from a network file system takes longer than an idle worker stays.
   */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const { locks, workerId, log } = this.#sweep;
    if (!this.#isSweeping) return;
    await locks
      .release(SWEEP_LOCK, workerId)
      .catch((error: Error) => log.warn('another worker continues the sweep of the workspaces only later', error));
  }

  /** A failure does no harm: the next sweep, by any worker, does the same work. */
  async #run(): Promise<void> {
    const { log } = this.#sweep;
    this.#isSweeping = true;
    await sweepWorkspaces(this.#sweep)
      .then((removed) => removed > 0 && log.info('removed folders of jobs that ended long ago', { removed }))
      .catch((error: Error) => log.warn('sweeping the workspaces failed', error));
    this.#isSweeping = false;
  }
}
