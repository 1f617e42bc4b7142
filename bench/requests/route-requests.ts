import { claim } from '../../lib/jobs/admission/claim.ts';
import { openWorker } from '../../test/stand-ins/emulated-worker.ts';
import { runAttempt } from '../../worker-container/attempt/run-attempt.ts';
import { Meter } from './meter.ts';
import { openRoutes } from './open-routes.ts';
import { countRounds } from './route-rounds.ts';

/** How often a request calls each command of AWS; the commands in alphabetical order. */
export type CommandCounts = Readonly<Record<string, number>>;

/** What the main routes ask of AWS. */
export interface RouteRequests {
  /** What a warm function requests, and what a worker does for a short job; a request that circumstances change has a note. */
  readonly requests: Record<string, CommandCounts>;
  /** How often a warm function waits for answers. */
  readonly rounds: Record<string, number>;
}

/** Once in a process: the functions keep what they have opened. */
export async function countRouteRequests(): Promise<RouteRequests> {
  const meter = Meter.ofProcess();
  const routes = await openRoutes();
  const { deployment, call, close } = routes;
  const counts: Record<string, CommandCounts> = {};
  const count = async (name: string, method: string, path: string, body?: unknown) => {
    meter.take();
    const answer = await call(method, path, body);
    note(name);
    return answer;
  };
  const note = (name: string) => {
    const { requests, s3, sqs } = meter.take();
    counts[name] = Object.fromEntries([...requests, ...s3, ...sqs].sort(([a], [b]) => a.localeCompare(b)));
  };
  try {
    const { worker } = await openWorker(deployment);
    const body = { prompt: 'echo hi', profile: 'shell' };
    const keyed = { ...body, idempotency_key: 'once' };
    // The first use of a token, and of a project, is recorded.
    await call('POST', '/jobs', { ...body, draft: true });
    const { id } = await count('POST /jobs', 'POST', '/jobs', body);
    await count('POST /jobs, a draft', 'POST', '/jobs', { ...body, draft: true });
    await count('POST /jobs, with an idempotency key', 'POST', '/jobs', keyed);
    await count('POST /jobs, with a known idempotency key', 'POST', '/jobs', keyed);
    meter.take();
    const held = await deployment.dispatchQueues.receive('normal', 5);
    if (held === undefined) throw new Error('the message did not arrive');
    const claimed = await claim(deployment, held, worker.workerId);
    if (claimed.kind !== 'claimed' || claimed.job.id !== id) throw new Error(`the message led to: ${claimed.kind}`);
    await runAttempt({ ...worker, reads: claimed.reads }, claimed.job, held, new AbortController().signal);
    note("a short job's claim and attempt");
    await count('GET /jobs', 'GET', '/jobs');
    await count('GET /jobs/{id}, ended', 'GET', `/jobs/${id}`);
    await count('GET /jobs/{id}/status, ended', 'GET', `/jobs/${id}/status`);
    await count('GET /jobs/{id}/logs, ended', 'GET', `/jobs/${id}/logs`);
    await count('GET /jobs/{id}/result, ended', 'GET', `/jobs/${id}/result`);
    await count('POST /jobs/{id}/retry', 'POST', `/jobs/${id}/retry`);
    await count('GET /jobs/{id}/status, waiting', 'GET', `/jobs/${id}/status`);
    await count('POST /jobs/{id}/cancel, waiting', 'POST', `/jobs/${id}/cancel`);
    return { requests: counts, rounds: await countRounds(routes) };
  } finally {
    await close();
  }
}

if (import.meta.main) {
  console.log(JSON.stringify(await countRouteRequests()));
  // The emulators' connections would keep this process alive.
  process.exit();
}
