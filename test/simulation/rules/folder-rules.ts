import { resolve } from 'node:path';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';

/** What a rule about folders needs to know of a world. */
export interface FolderWorld {
  readonly workspaces: string;
  /** The project whose folders are each for one job at a time. */
  readonly exclusive: string;
  readonly jobs: () => readonly Job[];
}

/** The folder that a job may only use alone: a private one, with all below it, or one of the exclusive project. */
export function folderOf({ workspaces, exclusive }: FolderWorld, job: Job): string | undefined {
  const { id, project_id, cwd, folder_of } = job;
  if (folder_of !== undefined || cwd === undefined) return folder_of ?? id;
  return project_id === exclusive ? resolve(workspaces, project_id, cwd) : undefined;
}

/** Whether a job was started by the agent of another one, directly or through others, so that they may run together. */
function isBelow(job: Job, above: Job, byId: ReadonlyMap<string, Job>): boolean {
  const parent = job.cause.kind === 'tool' ? byId.get(job.cause.job) : undefined;
  return parent !== undefined && (parent.id === above.id || isBelow(parent, above, byId));
}

/** The running jobs in the folder of one that starts: those that it may run beside, and those that it may not. */
export function besides(world: FolderWorld, job: Job): { readonly allowed: Job[]; readonly wrong: Job[] } {
  const folder = folderOf(world, job);
  const jobs = folder === undefined ? [] : world.jobs();
  const byId = new Map(jobs.map((other) => [other.id, other]));
  const others = jobs.filter(({ id, status }) => id !== job.id && status === 'RUNNING');
  const there = others.filter((other) => folderOf(world, other) === folder);
  const isAllowed = (other: Job) => isBelow(job, other, byId);
  return { allowed: there.filter(isAllowed), wrong: there.filter((other) => !isAllowed(other)) };
}
