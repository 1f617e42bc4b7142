import { followUpIds } from '../lifecycle/follow-up-record.ts';
import type { Job } from '../lifecycle/job.ts';
import { ownFolder } from '../lifecycle/working-folder.ts';
import type { JobStore } from '../store/job-store.ts';
import { endedBefore, pendingFork, readThread } from './read-thread.ts';
import type { ThreadStore } from './thread-store.ts';

/** Most jobs that are read by default. A folder with more users is kept. */
const MAX_USERS = 2_000;

/** Dependencies for finding the jobs that work in a folder. */
export interface FolderUsersContext {
  readonly jobs: Pick<JobStore, 'findAll'>;
  readonly threads: Pick<ThreadStore, 'turns' | 'forks'>;
}

/**
 * Whether all jobs that work in a private folder ended before a time (RFC 3339): its owner, the turns of their threads,
 * and the follow-up jobs that share it; and no fork still has to copy it. A job that waits keeps it.
 */
export async function isFolderUnused(
  context: FolderUsersContext,
  owner: Job,
  before: string,
  { most = MAX_USERS }: { most?: number } = {},
): Promise<boolean> {
  const seen = new Set<string>();
  const threads = new Set<string>();
  for (let found: Job[] = [owner]; found.length > 0; ) {
    const next: Job[] = [];
    for (const job of found) {
      if (seen.has(job.id)) continue;
      if (seen.add(job.id).size > most || !endedBefore(job, before)) return false;
      const others = await related(context, job, threads);
      if (others === undefined) return false;
      next.push(...others.filter((other) => ownFolder(other) === owner.id));
    }
    found = next;
  }
  return true;
}

/** The turns of a job's thread, unless they are known, and its follow-up jobs; undefined: one is not known, or a fork waits. */
async function related(context: FolderUsersContext, job: Job, known: Set<string>): Promise<Job[] | undefined> {
  const { thread_id: threadId } = job;
  const turns = threadId === undefined || known.has(threadId) ? [] : await readThread(context, threadId);
  if (threadId !== undefined) known.add(threadId);
  if ((await pendingFork(context, turns)) !== undefined) return undefined;
  const children = await context.jobs.findAll(followUpIds(job));
  const all = [...turns.map((turn) => turn.job), ...children.values()];
  const jobs = all.filter((one) => one !== undefined && one !== 'newer');
  return jobs.length === all.filter((one) => one !== undefined).length ? jobs : undefined;
}
