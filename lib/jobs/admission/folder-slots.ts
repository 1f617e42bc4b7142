import { createHash } from 'node:crypto';
import type { ProjectSettingsStore } from '../../projects/project-settings.ts';
import type { JobDeploymentStore } from '../deployments/job-deployment-store.ts';
import { transition } from '../dispatch/transition.ts';
import { folderKey } from '../indexes/ready-keys.ts';
import type { Job } from '../lifecycle/job.ts';
import { type Folders, resolveFolder } from '../lifecycle/working-folder.ts';
import type { ReadPartition } from '../store/ready-partition.ts';
import { needsBindings, runsBindings } from '../threads/running-bindings.ts';
import { acquireSlot, type IsStillUsed, isFree, type SlotContext, wakeWaiting } from './slots.ts';

/** Dependencies for running one job at a time in a folder. */
export interface FolderContext extends SlotContext {
  readonly partition: ReadPartition;
  readonly folders: Folders;
  readonly projectSettings: Pick<ProjectSettingsStore, 'get'>;
  readonly deployments: Pick<JobDeploymentStore, 'list'>;
}

/**
 * The name of the folder that a job needs exclusively. undefined: none, as without a `cwd`, when it is private anyway.
 */
export async function exclusiveFolder(context: FolderContext, job: Job): Promise<string | undefined> {
  if (job.cwd === undefined) return undefined;
  const { exclusive_cwd } = await context.projectSettings.get(job.project_id);
  return exclusive_cwd === true ? folderName(context.folders, job) : undefined;
}

/** A short name for a job's folder, the same for all jobs that work in it. */
export function folderName(folders: Folders, job: Pick<Job, 'id' | 'project_id' | 'cwd'>): string | undefined {
  const folder = resolveFolder(folders, job);
  if ('rejected' in folder) return undefined;
  return createHash('sha256').update(folder.path).digest('hex').slice(0, 20);
}

/**
 * Acquires a folder for the claim of exactly this version of a job.
 * @returns false while another attempt, or the deployment of a succeeded one, works there.
 */
export async function acquireFolder(context: FolderContext, job: Job, folder: string): Promise<boolean> {
  return await acquireSlot(context, job, folder, stillUsed(context, job.thread_id));
}

/**
 * Binding commands run in the folder of the job that they deploy.
 * @param threadId of the job that needs the folder: commands that have not begun wait for the turns of their thread
 */
function stillUsed(context: Pick<FolderContext, 'deployments'>, threadId?: string): IsStillUsed {
  return async (holder) => {
    const isTurn = threadId !== undefined && holder.thread_id === threadId;
    return await (isTurn ? runsBindings : needsBindings)(context, holder);
  };
}

/** Parks a job until its folder is free, then checks again, because it may have become free before that. */
export async function waitForFolder(context: FolderContext, job: Job, folder: string): Promise<void> {
  const parked = await transition(context, job, { type: 'wait_for_folder', folder }, { rounds: 1 });
  if (parked.done) await wakeIfFree(context, folder);
}

/** Queues the best of the jobs that wait for a folder, if the folder is free. */
export async function wakeIfFree(context: FolderContext, folder: string): Promise<void> {
  if (await isFree(context, folder, stillUsed(context))) await wakeNext(context, folder);
}

/** Queues the best of the jobs that wait for a folder. */
export async function wakeNext(context: FolderContext, folder: string): Promise<void> {
  const waiting = { partition: folderKey(folder), reason: 'folder_busy' } as const;
  await wakeWaiting(context, waiting, (job) => job.folder === folder);
}
