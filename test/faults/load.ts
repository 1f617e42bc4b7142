import { setTimeout as delay } from 'node:timers/promises';
import type { ApiAnswer, ServiceUnderTest } from '../local-run/local-service.ts';
import type { SeededRandom } from '../simulation/seeded-random.ts';
import type { JobRecord, Ledger } from './ledger.ts';

export interface LoadOptions {
  /** The current service; undefined while there is none. */
  readonly service: () => ServiceUnderTest | undefined;
  readonly ledger: Ledger;
  readonly random: SeededRandom;
  /** The file that every job's command writes its starts and ends to. */
  readonly diary: string;
  readonly signal: AbortSignal;
}

/** The maximum of waiting jobs of a client, so that the end does not have to wait for a backlog. */
const MOST_WAITING = 6;
/** Milliseconds between two calls of a client. */
const PAUSE = { from: 5, to: 60 } as const;

/** One client that creates jobs and calls every action on them, in spite of faults of the service, until it is stopped. */
export async function runLoad(options: LoadOptions, client: number): Promise<void> {
  const { random, signal, ledger } = options;
  const own: JobRecord[] = [];
  for (let n = 0; !signal.aborted; n += 1) {
    await delay(random.integer(PAUSE.from, PAUSE.to));
    const waiting = await countWaiting(options, own);
    if (waiting < MOST_WAITING && random.chance(0.6)) {
      const created = await create(options, `c${client}-${n}`);
      if (created === undefined) continue;
      ledger.jobs.set(created.id, created);
      own.push(created);
    } else if (own.length > 0) await meddle(options, random.chance(0.7) ? own.at(-1) : random.pick(own));
  }
}

/** How many of a client's newest jobs are neither ended nor drafts; all without an answer. */
async function countWaiting(options: LoadOptions, own: readonly JobRecord[]): Promise<number> {
  const newest = own.filter(({ draft }) => !draft).slice(-MOST_WAITING);
  const answers = await Promise.all(newest.map(({ id }) => call(options, 'GET', `/jobs/${id}/status`)));
  return answers.filter((answer) => answer?.json?.terminal !== true).length;
}

async function create(options: LoadOptions, name: string): Promise<JobRecord | undefined> {
  const { random, ledger } = options;
  const keyed = random.chance(0.6);
  const draft = random.chance(0.1);
  const { prompt, stdout, exitCode } = command(options, name);
  const priority = random.integer(-1, 1);
  const body = {
    prompt,
    priority,
    profile: 'shell',
    project: `p${random.integer(0, 2)}`,
    ...(random.chance(0.2) && { retries: 1 }),
    ...(draft && { draft }),
    ...(keyed && { idempotency_key: name }),
  };
  for (;;) {
    const answer = await call(options, 'POST', '/jobs', body);
    if (answer?.status === 201) {
      const record = { name, id: answer.json.id as string, stdout, exitCode, draft, priorities: [priority] };
      return { ...record, retries: 0, endedAfter: undefined };
    }
    if (answer !== undefined) ledger.faults.push(`a creation was answered with ${answer.status} ${answer.text}`);
    else if (keyed && !options.signal.aborted) {
      await delay(20);
      continue;
    }
    ledger.unanswered += 1;
    return undefined;
  }
}

/** A script that records the start and end of each attempt in the diary, and writes output that shows if it was cut. */
function command({ random, diary }: LoadOptions, name: string) {
  const lines = Array.from({ length: random.integer(1, 40) }, (_, n) => `${name} line ${n}`);
  const pause = random.chance(0.3) ? random.skewed(0.2, 3).toFixed(2) : '0';
  const exitCode = random.chance(0.15) ? 3 : 0;
  const half = Math.floor(lines.length / 2);
  const prompt = [
    `echo "start $PROMPTQ_ATTEMPT" >> ${diary}`,
    `for n in $(seq 0 ${half - 1}); do echo "${name} line $n"; done`,
    ...(random.chance(0.2) ? ['setsid sleep 600 >/dev/null 2>&1 &'] : []),
    `sleep ${pause}`,
    `for n in $(seq ${half} ${lines.length - 1}); do echo "${name} line $n"; done`,
    `echo "end $PROMPTQ_ATTEMPT" >> ${diary}`,
    `exit ${exitCode}`,
  ].join('\n');
  return { prompt, stdout: `${lines.join('\n')}\n`, exitCode };
}

async function meddle(options: LoadOptions, job: JobRecord | undefined): Promise<void> {
  if (job === undefined) return;
  const { random } = options;
  const dice = random.next();
  if (dice < 0.25) await edit(options, job);
  else if (dice < 0.4) await end(options, job);
  else if (dice < 0.55) await retry(options, job);
  else if (dice < 0.65 && job.draft) {
    const answer = await act(options, job, 'POST', 'submit');
    if (answer?.status === 200) job.draft = false;
  } else if (dice < 0.75) await call(options, 'POST', `/jobs/${job.id}/reread-logs`);
  else if (dice < 0.85) await call(options, 'GET', '/jobs?limit=20');
  else await call(options, 'GET', `/jobs/${job.id}/result`);
}

async function edit(options: LoadOptions, job: JobRecord): Promise<void> {
  const priority = options.random.integer(-3, 3);
  const answer = await call(options, 'PATCH', `/jobs/${job.id}`, { priority });
  if (answer === undefined) job.priorities = [...job.priorities, priority];
  else if (answer.status === 200) job.priorities = [priority];
}

async function end(options: LoadOptions, job: JobRecord): Promise<void> {
  const [method, action] = options.random.pick([
    ['POST', 'cancel'],
    ['POST', 'kill'],
    ['DELETE', ''],
  ] as const);
  const answer = await act(options, job, method, action);
  if (answer?.status !== 200) return;
  job.draft = false;
  job.endedAfter = answer.json.attempt as number;
}

async function retry(options: LoadOptions, job: JobRecord): Promise<void> {
  const answer = await act(options, job, 'POST', 'retry');
  if (answer !== undefined && answer.status !== 200) return;
  // Without an answer it may have been heeded.
  job.retries += 1;
  job.endedAfter = undefined;
}

async function act(options: LoadOptions, job: JobRecord, method: string, action: string) {
  return await call(options, method, `/jobs/${job.id}${action && `/${action}`}`);
}

/** Undefined: without an answer the result is unknown. */
async function call(
  options: LoadOptions,
  method: string,
  path: string,
  body?: unknown,
): Promise<ApiAnswer | undefined> {
  const { ledger } = options;
  try {
    const answer = await options.service()?.api(method, path, body);
    if (answer === undefined) return undefined;
    // The gateway timed out: the result is unknown.
    if (answer.status === 504) {
      ledger.cut += 1;
      return undefined;
    }
    ledger.calls += 1;
    if (answer.status >= 500 || answer.status === 404)
      ledger.faults.push(`${method} ${path} was answered with ${answer.status} ${answer.text}`);
    return answer;
  } catch {
    ledger.cut += 1;
    return undefined;
  }
}
