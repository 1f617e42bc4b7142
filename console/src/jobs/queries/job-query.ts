import { isTerminal } from '../../../../lib/contract/statuses.ts';
import { api, dataOf, type Schemas } from '../../api/client.ts';

export type Job = Schemas['Job'];

/** How often (ms) a job is read anew: while something goes on, and later. */
const POLL = { busy: 2_000, done: 15_000 };
/** How long (ms) after a job's end deploy bindings may still begin. */
const SETTLES = 30_000;

/** One job, read anew until it and what follows its success have ended, and now and then after that. */
export function jobQuery(id: string) {
  return {
    queryKey: ['job', id] as const,
    queryFn: async () => await dataOf(api.GET('/api/v1/jobs/{id}', { params: { path: { id } } })),
    refetchInterval: (query: { state: { data: Job | undefined } }) =>
      query.state.data !== undefined && isDone(query.state.data) ? POLL.done : POLL.busy,
  };
}

function isDone({ status, finished_at, deployments }: Job): boolean {
  if (!isTerminal(status) || deployments.some(({ state }) => state === 'pending' || state === 'running')) return false;
  return finished_at === null || Date.now() - Date.parse(finished_at) > SETTLES;
}

/** Of a running job with more output than this the result is read once only. */
const LIVE_BYTES = 500_000;

/** The result of an attempt, its streams bounded. That of the newest attempt changes until the attempt ends. */
export function resultQuery(job: Job, attempt = job.attempt) {
  const isNewest = attempt >= job.attempt;
  const query = isNewest ? {} : { attempt };
  return {
    queryKey: ['result', job.id, attempt, isNewest ? job.status : 'ended'] as const,
    queryFn: async () => await dataOf(api.GET('/api/v1/jobs/{id}/result', { params: { path: { id: job.id }, query } })),
    // The answer brings the output's end, which is not fetched again and again once it is long.
    refetchInterval:
      isNewest && job.status === 'RUNNING' && job.stdout_bytes + job.stderr_bytes < LIVE_BYTES
        ? 5_000
        : (false as const),
  };
}

/** The files that the newest attempt left. They are kept when it ends. */
export function attachmentsQuery(job: Job) {
  return {
    queryKey: ['attachments', job.id, job.attempt, job.status] as const,
    queryFn: async () => await dataOf(api.GET('/api/v1/jobs/{id}/attachments', { params: { path: { id: job.id } } })),
    enabled: job.attempt > 0 && job.status !== 'RUNNING',
    staleTime: Number.POSITIVE_INFINITY,
  };
}
