import type { Job } from './job.ts';

/** What an edit may change of a job's item. `undefined`: taken away. */
export type JobEdit = Partial<
  Pick<Job, 'profile' | 'priority' | 'retries' | 'texts' | 'prompt_preview'> & {
    model: string | undefined;
    timeout: number | undefined;
    cwd: string | undefined;
    folder_of: string | undefined;
  }
>;
