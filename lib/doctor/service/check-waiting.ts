import { isKnown } from '../../contract/later-code.ts';
import { REASON_CODES } from '../../contract/schemas/jobs/job-state.ts';
import { NOT_STARTED } from '../../workers/scaling/why-waiting.ts';
import { counted, type Finding, fault, ok, span, warning } from '../finding.ts';
import { dataOf, type Schemas, type Service } from './service.ts';

/** Number of longest-waiting jobs that are checked. */
const MAX_CHECKED = 100;

/** Milliseconds that a job may be ready without being claimed, before it needs attention. */
const LONG = { warning: 300_000, fault: 1_800_000 } as const;

type Reason = Schemas['StateReason']['code'];

const PARKED: Partial<Record<Reason, string>> = {
  account_required:
    'Link the vendor account (`POST /codex-account/start`, or the page Account): they then start automatically.',
  usage_limit: "They start automatically when the vendor's limit is over; until then use another profile or account.",
  vendor_overloaded: 'They start automatically when the vendor takes requests again; see its status page.',
  folder_busy: 'They wait for the job that has their folder to itself; see which one runs.',
  thread_stopped: 'The turn before each of them failed or was cancelled: retry that turn, or submit this one.',
};

/** Checks the jobs that have waited longest: are any stuck, or waiting for a person? */
export async function checkWaiting(service: Service, environment: Schemas['Environment']): Promise<Finding[]> {
  const { QUEUED: queued, RUNNING: running } = environment.jobs;
  const query = { status: 'QUEUED', limit: MAX_CHECKED, offset: Math.max(0, queued - MAX_CHECKED) } as const;
  const { items } = await dataOf('GET /jobs', service.api.GET('/api/v1/jobs', { params: { query } }));
  const now = Date.parse(environment.time);
  const ages = items
    .filter(({ state_reason }) => state_reason.code === 'waiting_for_worker')
    .map(({ queued_at, created_at }) => now - Date.parse(queued_at ?? created_at));
  const oldest = Math.max(0, ...ages);
  const parked = Object.entries(PARKED).flatMap(([code, advice]) => {
    const count = items.filter(({ state_reason }) => state_reason.code === code).length;
    return count === 0
      ? []
      : [warning('parked jobs', `${counted(count, 'job')} of the ${items.length} oldest: ${code}`, advice)];
  });
  const annotated = items.find(({ state_reason: { message } }) => message.startsWith(NOT_STARTED));
  const hindered =
    annotated === undefined
      ? []
      : [
          fault(
            'launches',
            annotated.state_reason.message,
            'It is retried automatically. Runbook, "Alarm launch-failures".',
          ),
        ];
  const ready = oldestReady({ oldest, queued, running, workers: environment.hosts.length });
  return [...hindered, ready, ...parked, ...laterReasons(items)];
}

/** Jobs that wait for a reason which this version of the doctor doesn't know. */
function laterReasons(items: Schemas['JobList']['items']): Finding[] {
  const later = items.map(({ state_reason }) => state_reason.code).filter((code) => !isKnown(REASON_CODES, code));
  if (later.length === 0) return [];
  const codes = [...new Set<string>(later)].toSorted().join(', ');
  return [
    warning(
      'later version',
      `${counted(later.length, 'job')} of the ${items.length} oldest: ${codes}`,
      'A later version of Promptq set these reasons, and only that version changes these jobs: deploy it again.',
    ),
  ];
}

function oldestReady(of: { oldest: number; queued: number; running: number; workers: number }): Finding {
  const { oldest, queued, running, workers } = of;
  if (queued === 0) return ok('waiting jobs', `none; ${running} running`);
  const message = `${queued} queued, ${running} running; the oldest that is ready has waited ${span(oldest)}`;
  if (oldest < LONG.warning) return ok('waiting jobs', message);
  if (workers > 0 && oldest < LONG.fault)
    return warning(
      'waiting jobs',
      message,
      'Workers are busy, or fewer than needed: raise maxWorkers (locally PROMPTQ_CONCURRENCY) if this lasts.',
    );
  return fault('waiting jobs', message, 'Runbook, "A job stays QUEUED"; then `npm run redrive`.');
}
