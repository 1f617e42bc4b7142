import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ProjectSettings, ProjectSettingsStore } from '../../projects/project-settings.ts';
import { gateKey } from '../indexes/ready-keys.ts';
import { effectOf } from '../lifecycle/effects.ts';
import type { Job } from '../lifecycle/job.ts';
import { lacksCopy } from '../lifecycle/thread.ts';
import {
  type Folders,
  isPrivate,
  namesBelow,
  ownerOfFolder,
  type Placed,
  resolveFolder,
} from '../lifecycle/working-folder.ts';
import type { ReadPartition } from '../store/ready-partition.ts';
import { whenCommandsAct } from '../threads/commands-turn.ts';
import { type TurnWithJob, turnsOf } from '../threads/read-thread.ts';
import { needsBindings, runsBindings } from '../threads/running-bindings.ts';
import {
  firstInFolder,
  isAwaited,
  jobsBelow,
  mayWorkBeside,
  type SharedFolderContext,
  sharesFolder,
  turnsBeside,
  usersAbove,
} from './shared-folders.ts';
import { acquireSlot, type SlotContext, type SlotRule, type SlotUser, usersOf } from './slots.ts';

/** Dependencies for running one job at a time in a folder. */
export interface FolderContext extends SlotContext, SharedFolderContext {
  readonly projectSettings: Pick<ProjectSettingsStore, 'get'>;
}

/**
 * The name of the folder that a job needs exclusively: a private folder that it shares with other jobs, or the folder of
 * its `cwd` if its project says so. A fork needs the folder that it copies. undefined: none.
 * @param turns those of the job's thread
 * @param settings those of its project. Default: they are read
 */
export async function exclusiveFolder(
  context: FolderContext,
  job: Job,
  turns: readonly TurnWithJob[],
  settings?: () => ProjectSettings,
): Promise<string | undefined> {
  if (lacksCopy(job)) return await folderToCopy(context, job);
  if (sharesFolder(context.folders, job, turns)) return folderName(context.folders, job);
  if (job.cwd === undefined) return undefined;
  const { exclusive_cwd } = settings?.() ?? (await context.projectSettings.get(job.project_id));
  return exclusive_cwd === true ? folderName(context.folders, job) : undefined;
}

/** The folder that a fork is still to copy, if jobs outside a thread share it. */
async function folderToCopy(context: SharedFolderContext, { forked_from = '' }: Job): Promise<string | undefined> {
  const source = await context.jobs.find(forked_from);
  if (source === undefined || source === 'newer') return undefined;
  const isShared = sharesFolder(context.folders, source, await turnsOf(context, source));
  return isShared ? folderName(context.folders, source) : undefined;
}

/** A short name for a job's folder, the same for all jobs that work in it. A private folder is one with all below it. */
export function folderName(folders: Folders, job: Placed): string | undefined {
  const folder = resolveFolder(folders, job);
  if ('rejected' in folder) return undefined;
  const names = namesBelow(folders.workspaces, folder.path);
  const path = names !== undefined && isPrivate(names) ? join(folders.workspaces, ...names.slice(0, 2)) : folder.path;
  return createHash('sha256').update(path).digest('hex').slice(0, 20);
}

/**
 * Acquires a folder for the claim of exactly this version of a job.
 * @returns false while another attempt, or the deployment of a succeeded one, works there. An attempt whose agent
 * started the job is no reason to wait: it may wait for the job.
 */
export async function acquireFolder(context: FolderContext, job: Job, folder: string): Promise<boolean> {
  return await acquireSlot(context, job, folder, {
    ...ruleOf(context, folder, job),
    mayJoin: (users) => mayWorkBeside(context, job, users),
    firstHolder: () => firstInFolder(context, job),
  });
}

/**
 * Acquires a folder for commands of exactly this version of an ended job.
 * @returns false while an attempt, or commands of another job, work there
 */
export async function acquireForCommands(context: FolderContext, job: Job, folder: string): Promise<boolean> {
  return await acquireSlot(context, job, folder, {
    ...ruleOf(context, folder, 'commands'),
    firstHolder: () => firstInFolder(context, job),
  });
}

/**
 * Who uses a folder. Binding commands run in the folder of the job that they deploy.
 * @param needs that needs the folder: a job, or commands
 */
function ruleOf(context: FolderContext, folder: string, needs?: Job | 'commands'): SlotRule {
  const worksThere = (other: Job) => folderName(context.folders, other) === folder;
  /**
   * Whether commands of an ended job that have not begun wait for a job. They wait for an agent that runs in the folder
   * too, and that agent may wait for the job.
   */
  const commandsYield = async (ended: Job, job: Job) => {
    if (lacksCopy(job)) return true;
    if (job.thread_id !== undefined && ended.thread_id === job.thread_id) return true;
    return await isAwaited(context, job, worksThere);
  };
  const isStillUsed = async (ended: Job) => {
    if (effectOf(ended, 'commands') === undefined) return false;
    const yields = needs === 'commands' || (needs !== undefined && (await commandsYield(ended, needs)));
    // Commands that wait for a turn would keep jobs waiting for that turn too.
    const areHeld =
      ownerOfFolder(context.folders, ended) !== undefined && (await whenCommandsAct(context, ended)) === 'later';
    return await (yields || areHeld ? runsBindings : needsBindings)(context, ended);
  };
  const isUser = async (other: Job) => worksThere(other) && (other.status === 'RUNNING' || (await isStillUsed(other)));
  return { isStillUsed, worksThere, usersBeside: (holder) => usersAbove(context, holder, isUser) };
}

/** The jobs that work in a folder. */
export async function usersOfFolder(context: FolderContext, folder: string): Promise<readonly SlotUser[]> {
  return await usersOf(context, folder, ruleOf(context, folder));
}

/**
 * Jobs that wait for a folder and may work beside those in it, turns that only commands which wait keep out, and those
 * commands.
 */
export async function* admittedBeside(
  context: FolderContext & { readonly partition: ReadPartition },
  folder: string,
): AsyncGenerator<Job> {
  const forCommands = await usersOf(context, folder, ruleOf(context, folder, 'commands'));
  if (forCommands.length === 0)
    for await (const job of context.partition(gateKey({ kind: 'folder', key: folder })))
      if (job.cause.kind === 'system') yield job;
  const users = await usersOfFolder(context, folder);
  for (const others of [jobsBelow(context, users), turnsBeside(context, users)])
    for await (const job of others) {
      if (job.parked !== 'folder_busy' || job.folder !== folder) continue;
      const forJob = await usersOf(context, folder, ruleOf(context, folder, job));
      if (forJob.length === 0 || (await mayWorkBeside(context, job, forJob))) yield job;
    }
}
