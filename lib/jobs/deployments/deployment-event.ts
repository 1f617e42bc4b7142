import type { SubjectEvent } from '../../platform/event-rows.ts';
import type { Job } from '../lifecycle/job.ts';
import { isFinal, type JobDeployment } from './job-deployment.ts';

const TYPES = {
  delivered: 'deployment.succeeded',
  succeeded: 'deployment.succeeded',
  failed: 'deployment.failed',
} as const;

/** The event that a change of a deployment is: that it succeeded or failed. One that was skipped is none. */
export function deploymentEvent(
  known: JobDeployment | undefined,
  written: JobDeployment,
  job: Pick<Job, 'project_id' | 'project'> | undefined,
): SubjectEvent | undefined {
  const { state, finished_at, job_id, attempt, binding, name, mode } = written;
  if (finished_at === undefined || (known !== undefined && isFinal(known))) return undefined;
  const type = Object.hasOwn(TYPES, state) ? TYPES[state as keyof typeof TYPES] : undefined;
  if (type === undefined) return undefined;
  const how = mode === 'generic' ? 'Its receiver did not accept the call.' : 'Its commands failed.';
  return {
    ...{ type, time: finished_at, job_id, attempt, project_id: job?.project_id ?? null, project: job?.project ?? null },
    subject: { kind: 'deployment', id: binding, name, why: type === 'deployment.failed' ? how : null },
  };
}
