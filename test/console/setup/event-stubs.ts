import type { Page } from 'playwright-core';
import { EVENT_TYPES } from '../../../lib/contract/event-types.ts';

/** An event of each type has this state and reason. */
const STATES: Readonly<Record<string, readonly [string, string | null]>> = {
  'job.created': ['DRAFT', 'draft'],
  'job.succeeded': ['SUCCEEDED', 'exited'],
  'job.failed': ['FAILED', 'agent_error'],
  'job.cancelled': ['CANCELLED', 'cancelled_by_request'],
  'job.waiting': ['QUEUED', 'usage_limit'],
  'attempt.ended': ['QUEUED', 'worker_lost'],
};

const SUBJECTS: Readonly<
  Record<string, { readonly kind: string; readonly name: string; readonly why: string | null }>
> = {
  'automation.paused': { kind: 'automation', name: 'Nightly update', why: 'Its last 5 jobs have failed.' },
  'account.limit': { kind: 'account', name: 'codex', why: 'Jobs start again at 18:00.' },
  'worker.launch_failed': { kind: 'worker', name: 'worker', why: 'No capacity in eu-central-1a.' },
};

interface Stubbed {
  /** Events in all; default: one of each type. */
  readonly total?: number;
  readonly missed?: boolean;
  /** Pages that are answered before the service is out of reach. */
  readonly failsAfter?: number;
}

/** Makes the feed hold these events. What is to come never does. */
export function stubEvents({ total = EVENT_TYPES.length, missed = false, failsAfter }: Stubbed) {
  return async (page: Page): Promise<void> => {
    let answered = 0;
    await page.route('**/api/v1/events?*', async (route) => {
      const query = new URL(route.request().url()).searchParams;
      if (failsAfter !== undefined && answered >= failsAfter) return await route.abort();
      if (query.has('wait')) return;
      answered += 1;
      const from = Number(query.get('after')?.split('-')[0] ?? 1);
      const to = Math.min(total + 1, from + Number(query.get('limit')));
      const items = Array.from({ length: to - from }, (_, at) => event(from + at, total));
      await route.fulfill({ json: { items, next_cursor: `${to}-0`, has_more: to <= total, missed } });
    });
  };
}

function event(number: number, total: number): object {
  const type = EVENT_TYPES[number % EVENT_TYPES.length] ?? 'job.updated';
  const subject = SUBJECTS[type];
  const [status, reason] = STATES[type] ?? ['RUNNING', 'running'];
  return {
    ...{ id: `${number}-1`, type, time: new Date(Date.now() - (total - number) * 95_000).toISOString() },
    ...{ job_id: `job_${'4k2q0v9m6s8x1c3b5n7h2j'}${String(number % 7).padStart(4, '0')}`, sequence: (number % 40) + 1 },
    ...{ project_id: 'prj_1', project: 'storefront', status, reason, attempt: 2 },
    question: type.startsWith('question.') ? { id: 'q_7h2j4d6f8a', state: 'open' } : null,
    template: number % 3 === 0 ? 'upgrade' : null,
    automation: number % 4 === 0 ? 'aut_7h2j4d6f8a' : null,
    ...(subject && { job_id: null, sequence: null, project: null, status: null, attempt: null }),
    subject: subject ? { id: 'nightly-update', ...subject } : null,
  };
}
