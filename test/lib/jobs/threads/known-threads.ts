import type { JobDeployment } from '../../../../lib/jobs/deployments/job-deployment.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { JobStore } from '../../../../lib/jobs/store/job-store.ts';
import type { TurnWithJob } from '../../../../lib/jobs/threads/read-thread.ts';
import { ThreadStore } from '../../../../lib/jobs/threads/thread-store.ts';
import { aJob } from '../a-job.ts';

/** A job that ended with success on 1 January, with the given differences. */
export function anEnded(id: string, differences: Partial<Job> = {}): Job {
  const finished_at = '2026-01-01T00:00:00.000Z';
  return aJob({ id, status: 'SUCCEEDED', reason: 'exited', attempt: 1, finished_at, ...differences });
}

/** The turns of a thread, from the first. */
export function turnsWith(...jobs: readonly TurnWithJob['job'][]): TurnWithJob[] {
  return jobs.map((job, at) => ({ turn: at + 1, jobId: typeof job === 'object' ? job.id : `job_${at + 1}`, job }));
}

interface Known {
  /** Jobs by id; those that are not named don't exist. */
  readonly jobs?: Readonly<Record<string, Job | 'newer'>>;
  /** The ids of the jobs of a thread by its id. */
  readonly threads?: Readonly<Record<string, readonly string[]>>;
  /** The forks that a thread waits for by its id. */
  readonly forks?: Readonly<Record<string, readonly string[]>>;
  readonly deployments?: readonly JobDeployment[];
}

/** The stores of threads, jobs and deployments with what is given. */
export function knownThreads({ jobs = {}, threads = {}, forks = {}, deployments = [] }: Known) {
  return {
    threads: Object.assign(Object.create(ThreadStore.prototype) as ThreadStore, {
      async turns(id: string) {
        return (threads[id] ?? []).map((jobId, at) => ({ turn: at + 1, jobId }));
      },
      forks: async (id: string) => [...(forks[id] ?? [])],
    }),
    jobs: Object.assign(Object.create(JobStore.prototype) as JobStore, {
      find: async (id: string) => jobs[id],
      async findAll(ids: readonly string[]) {
        return new Map(ids.flatMap((id) => (jobs[id] === undefined ? [] : [[id, jobs[id]] as const])));
      },
    }),
    deployments: {
      async list(id: string) {
        return deployments.filter((one) => one.job_id === id);
      },
    },
  };
}
