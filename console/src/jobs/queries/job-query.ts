import { isTerminal } from '../../../../lib/contract/statuses.ts';
import { api, dataOf, type Schemas } from '../../api/client.ts';

export type Job = Schemas['Job'];

/** Poll interval (ms) of a job: while it is active, and afterwards. */
const POLL_INTERVAL_MS = { busy: 2_000, done: 15_000 };
/** Time (ms) after the end of a job in which deployments may still start. */
const DEPLOYMENT_START_MS = 30_000;

/** One job, polled often until it and its deployments have ended, and rarely after that. */
export function jobQuery(id: string) {
  return {
    queryKey: ['job', id] as const,
    queryFn: async () => await dataOf(api.GET('/api/v1/jobs/{id}', { params: { path: { id } } })),
    refetchInterval: (query: { state: { data: Job | undefined } }) =>
      query.state.data !== undefined && isDone(query.state.data) ? POLL_INTERVAL_MS.done : POLL_INTERVAL_MS.busy,
  };
}

function isDone({ status, finished_at, deployments }: Job): boolean {
  if (!isTerminal(status) || deployments.some(({ state }) => state === 'pending' || state === 'running')) return false;
  return finished_at === null || Date.now() - Date.parse(finished_at) > DEPLOYMENT_START_MS;
}

/** Whether nothing that the newest attempt wrote is kept. */
export function isOutputDeleted({ attempt, output_deleted_attempt: deleted }: Job): boolean {
  return deleted !== null && attempt <= deleted;
}

/** The result of a running job with more output (bytes) is read only once. */
const LIVE_BYTES = 500_000;

/** A job whose output is read. A size that is absent counts as 0. */
type Attempted = Pick<Job, 'id' | 'attempt' | 'status'> & Partial<Pick<Job, 'stdout_bytes' | 'stderr_bytes'>>;

/** The result of an attempt, with the end of its streams. The newest attempt's changes until the attempt ends. */
export function resultQuery(job: Attempted, attempt = job.attempt) {
  const isNewest = attempt >= job.attempt;
  const query = isNewest ? {} : { attempt };
  return {
    queryKey: ['result', job.id, attempt, isNewest ? job.status : 'ended'] as const,
    queryFn: async () => await dataOf(api.GET('/api/v1/jobs/{id}/result', { params: { path: { id: job.id }, query } })),
    // The response includes the end of the output, so a long one is not polled.
    refetchInterval:
      isNewest && job.status === 'RUNNING' && (job.stdout_bytes ?? 0) + (job.stderr_bytes ?? 0) < LIVE_BYTES
        ? 5_000
        : (false as const),
  };
}

/** The attachments of the newest attempt. They are stored when it ends. */
export function attachmentsQuery(job: Job) {
  return {
    queryKey: ['attachments', job.id, job.attempt, job.status] as const,
    queryFn: async () => await dataOf(api.GET('/api/v1/jobs/{id}/attachments', { params: { path: { id: job.id } } })),
    enabled: job.attempt > 0 && job.status !== 'RUNNING',
    staleTime: Number.POSITIVE_INFINITY,
  };
}

/** The files in the folder of a job, as its newest attempt that has ended left them. */
export function filesQuery(job: Pick<Job, 'id' | 'attempt' | 'status'>) {
  return {
    queryKey: ['files', job.id, job.attempt, job.status] as const,
    queryFn: async () => await dataOf(api.GET('/api/v1/jobs/{id}/files', { params: { path: { id: job.id } } })),
    staleTime: Number.POSITIVE_INFINITY,
  };
}
