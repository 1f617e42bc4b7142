import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { enterReconciler } from '../../lib/local/operator/operator-environment.ts';
import { type OwnService, startService, waitFor } from '../../test/local-run/local-service.ts';
import { aroundEveryRequest } from '../requests/every-request.ts';

/*
 * `npm run bench -- due [--automations N] [--slots N]`: automations of a local run that are all due in the same minute.
 *
 * 1. The minute's pass is run in this process, on the tables of the local run, before there is an automation and while
 *    none of them is due: both have to make the same requests.
 * 2. The minute comes. Each automation has to create its job, and each job, a script that ends at once, has to run.
 * 3. While jobs wait, the API is asked what it says of them. In the end their times are read from the list.
 */

const { values } = parseArgs({
  options: { automations: { type: 'string', default: '1000' }, slots: { type: 'string' } },
});
const count = Number(values.automations);
const MINUTE = 60_000;
/** Requests of a client that are in progress at once. */
const AT_ONCE = 8;
/** How long after the due instant the last job may start before this gives up. */
const LONGEST_MS = 30 * MINUTE;

interface Listed {
  readonly created_at: string;
  readonly started_at: string | null;
  readonly finished_at: string | null;
  readonly status: string;
}

const service = await startService({
  env: { ...(values.slots !== undefined && { PROMPTQ_CONCURRENCY: values.slots }) },
});
try {
  const pass = await passOf(service);
  await pass();
  const idle = { without: await pass() };
  const began = performance.now();
  const due = await makeAll(service);
  const made = Math.round((performance.now() - began) / 1000);
  const report = { ...idle, with: await pass() };
  console.log(`requests of an idle pass: ${report.without} without automations, ${report.with} with ${count}`);
  console.log(`${count} automations were made in ${made} s; all are due at ${new Date(due).toISOString()}`);
  await delay(due - Date.now());
  await tellWhatWaits(service);
  const jobs = await waitFor(
    async () => {
      const { json } = await service.api('GET', '/jobs?limit=1');
      const counts = json.status_counts;
      if (json.total < count || counts.QUEUED > 0) return undefined;
      return await listed(service);
    },
    { timeoutMs: LONGEST_MS },
  );
  show(jobs, due);
} finally {
  await service.stop();
}

/** @returns runs the minute's pass in this process, and counts its requests */
async function passOf({ home }: OwnService): Promise<() => Promise<number>> {
  await enterReconciler({ home, stack: undefined });
  let requests = 0;
  aroundEveryRequest(async (_client, send) => {
    requests += 1;
    return await send();
  });
  const { handler } = await import('../../functions/triggers/reconcile-jobs.ts');
  return async () => {
    requests = 0;
    await handler({});
    return requests;
  };
}

/** Makes the automations. @returns the instant at which all are due */
async function makeAll({ api }: OwnService): Promise<number> {
  const make = async (n: number, at: number) => {
    const cron = `${new Date(at).getUTCMinutes()} ${new Date(at).getUTCHours()} * * *`;
    const job = { prompt: 'true', profile: 'shell' };
    const { status, text } = await api('POST', '/automations', { name: `a${n}`, trigger: { schedule: { cron } }, job });
    if (status !== 201) throw new Error(text);
  };
  const began = performance.now();
  const tried = Math.min(count, AT_ONCE * 5);
  // Far from any minute that will be chosen.
  await inLanes(tried, async (n) => await make(n, Date.now() + 720 * MINUTE));
  const each = (performance.now() - began) / tried;
  const due = Math.ceil((Date.now() + 1.5 * each * count + MINUTE) / MINUTE) * MINUTE;
  const cron = `${new Date(due).getUTCMinutes()} ${new Date(due).getUTCHours()} * * *`;
  await inLanes(tried, async (n) => {
    await api('PATCH', `/automations/a${n}`, { trigger: { schedule: { cron } } });
  });
  await inLanes(count - tried, async (n) => await make(tried + n, due));
  if (Date.now() > due) throw new Error('the automations were not made before they were due; the machine is too busy');
  return due;
}

async function inLanes(amount: number, run: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < amount) await run(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

/** What the API says of a job that waits, and of its automation. */
async function tellWhatWaits({ api }: OwnService): Promise<void> {
  const waiting = await waitFor(
    async () => {
      const { json } = await api('GET', '/jobs?status=QUEUED&limit=1&order=newest');
      return json.total > 1 ? json : undefined;
    },
    { timeoutMs: LONGEST_MS },
  );
  const [job] = waiting.items;
  console.log(`while ${waiting.total} jobs wait, one says: ${JSON.stringify(job.state_reason)}`);
  const { json } = await api('GET', '/automations?limit=100');
  const open = json.items.find(({ next_runs: [next] }: { next_runs: { due_at: string }[] }) =>
    next === undefined ? false : Date.parse(next.due_at) <= Date.now(),
  );
  if (open === undefined) console.log('no automation of the first page waits to be evaluated');
  else
    console.log(
      `one that is not evaluated yet says: ${JSON.stringify({ state: open.state, state_reason: open.state_reason, next: open.next_runs[0] })}`,
    );
}

async function listed({ api }: OwnService): Promise<readonly Listed[]> {
  const jobs: Listed[] = [];
  let cursor = '';
  do {
    const { json } = await api('GET', `/jobs?limit=100${cursor}`);
    jobs.push(...json.items);
    cursor = json.next_cursor === null ? '' : `&cursor=${json.next_cursor}`;
  } while (cursor !== '');
  return jobs;
}

function show(jobs: readonly Listed[], due: number): void {
  const seconds = (name: 'created_at' | 'started_at') => {
    const times = jobs.flatMap(({ [name]: at }) => (at === null ? [] : (Date.parse(at) - due) / 1000));
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1);
    return `${sorted.length}; first ${at(0)}, median ${at(0.5)}, 95 % ${at(0.95)}, last ${at(1)} s after the instant`;
  };
  console.log(`jobs created: ${seconds('created_at')}`);
  console.log(`jobs started: ${seconds('started_at')}`);
  console.log(`load of the last minute ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`);
}
