import { setTimeout as delay } from 'node:timers/promises';
import { stallTolerantTimer } from '../../platform/stall-tolerant-timer.ts';
import { type Finding, fault, ok, span, warning } from '../finding.ts';
import { dataOf, type Schemas, type Service } from './service.ts';

/**
 * A worker registers every 15 s (`REGISTER_EVERY`); without a registration for this long (ms) it is stuck, cut off, or
 * dead.
 */
const SILENT_AFTER_MS = 25_000;

/** Milliseconds. A local run is ready a second or two before its worker, on a busy machine much more. */
const START_TIMEOUT_MS = 20_000;
const POLL_INTERVAL_MS = 250;

/**
 * The environment, polled while a local run's worker may still be starting. Deployments in the cloud scale from zero.
 */
export async function awaitWorkers(
  service: Service,
  environment: Schemas['Environment'],
  startsWithin: number = START_TIMEOUT_MS,
  pause: (milliseconds: number) => Promise<unknown> = delay,
): Promise<Schemas['Environment']> {
  if (!service.isLocal) return environment;
  const hasTimeLeft = stallTolerantTimer(startsWithin);
  let latest = environment;
  while (latest.hosts.length === 0 && hasTimeLeft()) {
    await pause(POLL_INTERVAL_MS);
    const asked = dataOf('GET /environment', service.api.GET('/api/v1/environment'));
    // Whether the service still answers is the subject of other checks.
    latest = await asked.catch(() => latest);
  }
  return latest;
}

/** Checks the registered workers. A deployment in the cloud may have none; a local run always has one. */
export function checkWorkers(service: Service, environment: Schemas['Environment']): Finding[] {
  const { hosts } = environment;
  const now = Date.parse(environment.time);
  if (hosts.length === 0) return [noWorkers(service, environment.jobs.QUEUED)];
  const silent = hosts.filter(({ seen_at }) => now - Date.parse(seen_at) > SILENT_AFTER_MS);
  const outdated = hosts.filter(({ version }) => version !== environment.service.version);
  const slots = hosts.reduce((sum, host) => sum + host.slots, 0);
  const running = hosts.reduce((sum, host) => sum + host.running_job_ids.length, 0);
  return [
    silent.length < hosts.length
      ? ok('workers', `${hosts.length} registered, ${running} of ${slots} slots in use`)
      : fault('workers', 'no registered worker has reported lately', whereToRead(service)),
    ...silent.map(({ worker_id, seen_at }) =>
      warning(
        'heartbeat',
        `worker ${worker_id} last reported ${span(now - Date.parse(seen_at))} ago; it should report every 15 s`,
        `It has died, hangs or is cut off. What it ran is taken over within 45 s. ${whereToRead(service)}`,
      ),
    ),
    ...outdated.map(({ worker_id, version }) =>
      warning(
        'worker version',
        `worker ${worker_id} is of version ${version}, the service of ${environment.service.version}`,
        'In the middle of a deployment this is as it should be: it leaves when its jobs have ended. Else stop its task.',
      ),
    ),
  ];
}

function noWorkers(service: Service, queued: number): Finding {
  if (service.isLocal) return fault('workers', 'none is registered: no job can run', whereToRead(service));
  if (queued === 0) return ok('workers', 'none, and no job waits: they start from zero');
  return warning(
    'workers',
    `none is registered, and ${queued} jobs are queued`,
    `A task takes about a minute to start. If none comes: ${whereToRead(service)}`,
  );
}

function whereToRead({ isLocal }: Service): string {
  return isLocal
    ? 'See the end of logs/worker.log in the home; `npm start` retries automatically, with longer and longer pauses.'
    : "See the log of the worker stack, and the cluster's stopped tasks in ECS with the reason they stopped for.";
}
