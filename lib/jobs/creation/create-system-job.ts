import { timestamp } from '../../platform/aws/table-clock.ts';
import type { TransitionContext } from '../dispatch/transition.ts';
import { jobIdOf } from '../lifecycle/cause.ts';
import type { Job } from '../lifecycle/job.ts';
import { JOB_SCHEMA } from '../lifecycle/newer-schema.ts';
import type { System } from '../lifecycle/system-job.ts';
import { newChangeId } from '../store/job-store.ts';

/** Creates a system job unless it is there. It has the project, profile and priority of the job that it is of. */
export async function createSystemJob(
  { jobs, dispatchQueues, clock }: Pick<TransitionContext, 'jobs' | 'dispatchQueues' | 'clock'>,
  of: Job,
  cause: System,
): Promise<void> {
  const at = timestamp(clock.now());
  const id = jobIdOf(cause);
  const { project_id, project, profile, priority } = of;
  const created = await jobs.create({
    ...{ id, schema: JOB_SCHEMA, cause, project_id, project, profile, agent: 'shell', priority, retries: 0 },
    ...{ status: 'QUEUED', reason: 'waiting_for_worker', prompt_preview: '', texts: '', created_by: 'system' },
    ...{ created_at: at, updated_at: at, queued_at: at, attempt: 0, version: 1, change_id: newChangeId() },
  });
  if (created.applied) await dispatchQueues.send(created.job);
}
