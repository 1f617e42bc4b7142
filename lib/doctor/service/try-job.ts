import { type Finding, fault, inWords, ok, span } from '../finding.ts';
import { dataOf, type Schemas, type Service } from './service.ts';

/** Seconds of one long poll; the service answers within 25. */
const WAIT_SECONDS = 20;

export interface TrialJob {
  readonly profile: string;
  /** Milliseconds; workers that start from zero need up to a minute. */
  readonly timeoutMs: number;
}

/**
 * Runs a tiny job, from its creation to its result, and cancels it if it does not end in time, or its state can't be
 * read. It stays in the list, as every job does.
 */
export async function tryJob(service: Service, { profile, timeoutMs }: TrialJob): Promise<Finding> {
  const startedAt = performance.now();
  const isScript = profile === 'shell';
  const body = { prompt: isScript ? 'echo "promptq doctor"' : 'Answer with one word: ok', profile, project: 'doctor' };
  const { id } = await dataOf('POST /jobs', service.api.POST('/api/v1/jobs', { body }));
  const path = { params: { path: { id } } } as const;
  let status: Schemas['JobLifecycle'];
  try {
    status = await untilEnded(service, id, startedAt + timeoutMs);
  } catch (error) {
    return fault('job', `${id}: ${inWords(error)}; ${await cancel(service, id)}`, `Read it: GET /jobs/${id}.`);
  }
  const took = span(performance.now() - startedAt);
  const reason = `${status.state_reason.code}: ${status.state_reason.message}`;
  if (!status.terminal) {
    const cancelled = await cancel(service, id);
    return fault(
      'job',
      `${id} is ${status.status} after ${took} (${reason}); ${cancelled}`,
      `Read it: GET /jobs/${id}.`,
    );
  }
  if (status.status !== 'SUCCEEDED')
    return fault('job', `${id} is ${status.status} (${reason})`, `Read what it wrote: GET /jobs/${id}/logs.`);
  if (!isScript) return ok('job', `${id} of the profile ${profile} succeeded in ${took}`);
  const result = await dataOf('GET /jobs/{id}/result', service.api.GET('/api/v1/jobs/{id}/result', path));
  if (result.stdout.trim() === 'promptq doctor') return ok('job', `${id} ran, and its output is there, in ${took}`);
  return fault('job', `${id} succeeded, but its output is ${JSON.stringify(result.stdout)}`, 'Look at the bucket.');
}

/** @returns its last state, which is no final one if the time is over */
async function untilEnded({ api }: Service, id: string, untilMs: number): Promise<Schemas['JobLifecycle']> {
  const params = { path: { id }, query: { wait: WAIT_SECONDS } };
  for (;;) {
    const status = await dataOf('GET /jobs/{id}/status', api.GET('/api/v1/jobs/{id}/status', { params }));
    if (status.terminal || performance.now() >= untilMs) return status;
  }
}

/** Otherwise it would still run, and cost, when what it waits for is over. @returns whether it is cancelled, in words */
async function cancel({ api }: Service, id: string): Promise<string> {
  const call = api.POST('/api/v1/jobs/{id}/cancel', { params: { path: { id } } });
  return await dataOf('POST /jobs/{id}/cancel', call).then(
    () => 'it was cancelled',
    (error: unknown) => `it could not be cancelled: ${inWords(error)}`,
  );
}
