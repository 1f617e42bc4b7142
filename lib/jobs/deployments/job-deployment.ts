import * as z from 'zod';
import { DEPLOYMENT_STATES, type DeploymentState } from '../../contract/schemas/job-deployment.ts';

/** What one binding did, or has to do, with one attempt of a job; kept beside the job, so that its item stays small. */
export const jobDeploymentSchema = z.object({
  job_id: z.string(),
  attempt: z.number(),
  /** Id of the binding, which is read anew for every try. */
  binding: z.string(),
  name: z.string(),
  mode: z.enum(['generic', 'custom', 'web_framework']),
  state: z.enum(DEPLOYMENT_STATES),
  attempts: z.number(),
  created_at: z.string(),
  /** When a pending one is to be tried. */
  due_at: z.string(),
  started_at: z.string().optional(),
  finished_at: z.string().optional(),
  last_status: z.number().optional(),
  error: z.string().optional(),
  log: z.string().optional(),
  log_truncated: z.boolean().optional(),
  /** Who runs its commands. */
  worker_id: z.string().optional(),
  /** When a running one must have ended, whatever happened to it. */
  ends_by: z.string().optional(),
  /** The body of its call: the same with every try. */
  payload: z.string().optional(),
  /** Counts the writes; every one is conditional on it. */
  version: z.number(),
  /** Names the last write, so that its writer recognises it after an unknown answer. */
  change_id: z.string(),
});
export type JobDeployment = z.output<typeof jobDeploymentSchema>;

/** Which one is meant. */
export type JobDeploymentKey = Pick<JobDeployment, 'job_id' | 'attempt' | 'binding'>;

const FINAL: readonly DeploymentState[] = ['delivered', 'succeeded', 'failed', 'skipped'];

/** Whether nothing more is done by itself. */
export function isFinal({ state }: Pick<JobDeployment, 'state'>): boolean {
  return FINAL.includes(state);
}

/** Whether it is done by a worker, by running commands. */
export function runsCommands({ mode }: Pick<JobDeployment, 'mode'>): boolean {
  return mode !== 'generic';
}
