import type { Job } from '../jobs/lifecycle/job.ts';
import { ownFolder } from '../jobs/lifecycle/working-folder.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import { type FolderUsersContext, isFolderUnused } from '../jobs/threads/folder-users.ts';
import { endedBefore, isThreadOver, readThread } from '../jobs/threads/read-thread.ts';

/**
 * The ended jobs that retention keeps, because their thread or their private folder is used since a time. One sweep
 * finds that out once for each thread and each folder. What can be removed is read again for each job.
 */
export class KeptJobs {
  readonly #context: FolderUsersContext & { readonly jobs: Pick<JobStore, 'find'> };
  readonly #before: string;
  readonly #turns = new Set<string>();
  /** The owners of folders that are used. */
  readonly #folders = new Set<string>();

  /** @param before RFC 3339 */
  constructor(context: FolderUsersContext & { readonly jobs: Pick<JobStore, 'find'> }, before: string) {
    this.#context = context;
    this.#before = before;
  }

  /** Whether a job is known as a turn of a thread that is kept. */
  has(id: string): boolean {
    return this.#turns.has(id);
  }

  /** A job whose removal has begun is not kept: its output may be gone. */
  async keeps(job: Job): Promise<boolean> {
    if (job.removing === true || !endedBefore(job, this.#before)) return false;
    return (await this.#isInThread(job)) || (await this.#isInFolder(job));
  }

  async #isInThread({ thread_id: threadId }: Job): Promise<boolean> {
    if (threadId === undefined) return false;
    const turns = await readThread(this.#context, threadId);
    if (await isThreadOver(this.#context, turns, this.#before)) return false;
    for (const { jobId } of turns) this.#turns.add(jobId);
    return true;
  }

  /** Its owner leads to the jobs of a folder, and these lead to their follow-up jobs. */
  async #isInFolder(job: Job): Promise<boolean> {
    if (job.cwd !== undefined && job.folder_of === undefined) return false;
    const id = ownFolder(job);
    if (this.#folders.has(id)) return true;
    const owner = id === job.id ? job : await this.#context.jobs.find(id);
    if (owner === 'newer') return true;
    // Nothing leads to the jobs of the folder.
    if (owner === undefined) return false;
    const isUnused = await isFolderUnused(this.#context, owner, this.#before, { most: Number.POSITIVE_INFINITY });
    if (!isUnused) this.#folders.add(id);
    return !isUnused;
  }
}
