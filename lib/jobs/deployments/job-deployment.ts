import * as z from 'zod';
import {
  DEPLOYMENT_STATES,
  type DeploymentState,
  type JobDeploymentView,
} from '../../contract/schemas/jobs/job-deployment.ts';
import type { DeployEffect } from '../lifecycle/effect.ts';

/** The deployment of one attempt by one binding. Stored beside the job to keep the job's item small. */
export const jobDeploymentSchema = z.object({
  job_id: z.string(),
  attempt: z.number(),
  /** Id of the binding, which is read again for every try. */
  binding: z.string(),
  name: z.string(),
  mode: z.enum(['generic', 'custom', 'web_framework']),
  state: z.enum(DEPLOYMENT_STATES),
  attempts: z.number(),
  created_at: z.string(),
  /** When a pending deployment is due. */
  due_at: z.string(),
  /** The system job that runs its commands, and how often one was made. */
  runs_as: z.string().optional(),
  runs: z.number().optional(),
  started_at: z.string().optional(),
  finished_at: z.string().optional(),
  last_status: z.number().optional(),
  error: z.string().optional(),
  log: z.string().optional(),
  log_truncated: z.boolean().optional(),
  /** The body of its call, the same for every try. */
  payload: z.string().optional(),
  /** Incremented by every write; each write is conditional on it. */
  version: z.number(),
  /** Names the last write, so that its writer recognises it after an unknown answer. */
  change_id: z.string(),
});
export type JobDeployment = z.output<typeof jobDeploymentSchema>;

/** Identifies a deployment. */
export type JobDeploymentKey = Pick<JobDeployment, 'job_id' | 'attempt' | 'binding'>;

const FINAL: readonly DeploymentState[] = ['delivered', 'succeeded', 'failed', 'skipped'];

/** Whether the deployment is final unless a client retries it. */
export function isFinal({ state }: Pick<JobDeployment, 'state'>): boolean {
  return FINAL.includes(state);
}

/** Whether a worker deploys, by running commands. */
export function runsCommands({ mode }: Pick<JobDeploymentView, 'mode'>): boolean {
  return mode === 'custom' || mode === 'web_framework';
}

/** The effect by which a binding of a mode deploys. */
export function deployEffect(mode: JobDeploymentView['mode']): DeployEffect {
  return mode === 'generic' ? 'calls' : 'commands';
}
