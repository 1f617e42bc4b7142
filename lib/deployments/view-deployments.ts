import { acts, type DeployBinding, isReady } from '../bindings/deploy-binding.ts';
import type { DeployBindingStore } from '../bindings/deploy-binding-store.ts';
import { editorLink } from '../contract/input/editor-link.ts';
import type { JobDeploymentView } from '../contract/schemas/jobs/job-deployment.ts';
import { deployEffect, type JobDeployment } from '../jobs/deployments/job-deployment.ts';
import type { JobDeploymentStore } from '../jobs/deployments/job-deployment-store.ts';
import { attemptsDue } from '../jobs/lifecycle/effects.ts';
import type { Job } from '../jobs/lifecycle/job.ts';
import { type Folders, workingFolder } from '../jobs/lifecycle/working-folder.ts';
import type { JobStore } from '../jobs/store/job-store.ts';
import { openCommands } from '../jobs/threads/running-bindings.ts';

interface ViewDeploymentsContext {
  readonly bindings: DeployBindingStore;
  readonly deployments: JobDeploymentStore;
  readonly folders: Folders;
  readonly jobs: Pick<JobStore, 'findAll'>;
}

/** A job's deployments, done or due, and where its folder can be opened. */
export async function viewDeployments(context: ViewDeploymentsContext, job: Job): Promise<JobDeploymentView[]> {
  const [bindings, done] = await Promise.all([
    context.bindings.list(job.project_id),
    // Before its first attempt a job has no deployments.
    job.attempt === 0 ? [] : context.deployments.list(job.id),
  ]);
  const isKnown = (attempt: number, { id }: DeployBinding) =>
    done.some((one) => one.attempt === attempt && one.binding === id);
  const isDue = (attempt: number, binding: DeployBinding) =>
    acts(binding) && attemptsDue(job, deployEffect(binding.binding_mode)).includes(attempt);
  const attempts = [...new Set([...attemptsDue(job, 'calls'), ...attemptsDue(job, 'commands')])].sort((a, b) => a - b);
  const coming = attempts.flatMap((attempt) =>
    bindings
      .filter(
        (binding) =>
          isDue(attempt, binding) && !isKnown(attempt, binding) && binding.created_at <= (job.finished_at ?? ''),
      )
      .map((binding) => ({ ...nothingYet(binding, attempt), state: 'pending' as const })),
  );
  const editors = bindings.filter((binding) => binding.binding_mode === 'hosted_editor' && isReady(binding));
  const commands = await openCommands({ ...context, deployments: { list: async () => done } }, job);
  const jobs = new Map(commands.map(({ deployment, job: one }) => [deployment, one]));
  // The others wait for the first.
  const reason = reasonOf(commands[0]?.job);
  const views = [...done.map((one) => viewDeployment(one, jobs.get(one), reason)), ...coming];
  return [...views, ...editors.flatMap((binding) => viewEditor(context, binding, job))];
}

/**
 * A deployment as clients see it.
 * @param commands the system job that runs its commands, until its result is recorded
 * @param reason why they have not begun
 */
export function viewDeployment(
  deployment: JobDeployment,
  commands?: Job | 'newer',
  reason?: PendingReason,
): JobDeploymentView {
  const { binding, name, mode, attempt, last_status, error, log, log_truncated } = deployment;
  const { state, attempts, started_at, pending_reason } = { ...deployment, ...shownBy(commands, reason) };
  return {
    binding,
    name,
    mode,
    attempt,
    state,
    attempts,
    started_at: started_at ?? null,
    finished_at: deployment.finished_at ?? null,
    ...(state === 'pending' && attempts > 0 && { next_attempt_at: deployment.due_at }),
    ...(pending_reason !== undefined && { pending_reason }),
    ...(last_status !== undefined && { last_status }),
    ...(error !== undefined && { error }),
    ...(log !== undefined && { log }),
    ...(log_truncated !== undefined && { log_truncated }),
  };
}

type Shown = Partial<Pick<JobDeploymentView, 'state' | 'attempts' | 'started_at' | 'pending_reason'>>;

/** What the system job of a deployment shows of it. One that has ended is about to be recorded. */
function shownBy(commands: Job | 'newer' | undefined, reason: PendingReason | undefined): Shown {
  if (typeof commands !== 'object') return {};
  const { status, started_at, attempt } = commands;
  if (status === 'QUEUED') return reason === undefined ? {} : { pending_reason: reason };
  return attempt === 0 ? {} : { state: 'running', attempts: 1, started_at: started_at ?? null };
}

type PendingReason = JobDeploymentView['pending_reason'];

function reasonOf(commands: Job | 'newer' | undefined): PendingReason {
  const { parked } = typeof commands === 'object' ? commands : {};
  if (parked === undefined) return undefined;
  return parked === 'folder_busy' ? 'folder_busy' : 'thread_busy';
}

/** The folder exists once a worker has begun. */
function viewEditor({ folders }: ViewDeploymentsContext, binding: DeployBinding, job: Job): JobDeploymentView[] {
  const folder = workingFolder(folders, job);
  if (binding.open_url === undefined || 'rejected' in folder) return [];
  const open_url = editorLink(binding.open_url, { cwd: folder.path, project: job.project });
  if (open_url === undefined) return [];
  return [
    {
      ...nothingYet(binding, job.attempt),
      state: job.attempt === 0 ? 'pending' : 'succeeded',
      open_url,
    },
  ];
}

function nothingYet({ id, name, binding_mode }: DeployBinding, attempt: number) {
  return { binding: id, name, mode: binding_mode, attempt, attempts: 0, started_at: null, finished_at: null };
}
