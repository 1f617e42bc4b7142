import type { Job } from './job.ts';

/** What an edit may change of a job's item. `undefined` removes the member. */
export type JobEdit = Partial<
  Pick<Job, 'profile' | 'agent' | 'priority' | 'retries' | 'texts' | 'prompt_preview'> & {
    model: string | undefined;
    timeout: number | undefined;
    cwd: string | undefined;
    folder_of: string | undefined;
    labels: string | undefined;
  }
>;

/** What an edit of a draft may change. No worker has seen a draft, so it may move to another project. */
export type DraftEdit = JobEdit & Partial<Pick<Job, 'project_id' | 'project'>>;
