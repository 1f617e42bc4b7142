import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { JournalEntry } from '../../lib/local/practice-vendor/model-routes.ts';
import { createJob, untilEnded } from '../api/job-client.ts';
import { startService, waitFor } from '../local-run/local-service.ts';
import { findAttemptMarks, findWorker } from '../local-run/marked-processes.ts';
import { SeededRandom } from '../simulation/seeded-random.ts';

/**
 * `npm run prove -- resumes [--kills N] [--seed N]`: kills workers in the middle of turns of the real codex, and reports
 * which attempts continued their session, which model calls were made again, and whether two attempts of one thread
 * were alive at a time: each killed job has a turn that waits for it.
 */
const { values } = parseArgs({
  options: { kills: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' } },
});

/** Jobs that run on one worker, and die with it. */
const SLOTS = 4;
/** Model calls of a job, about one a second. */
const CALLS = 30;
/** Oldest model call that may be lost, milliseconds: a session is saved every 10 s, and a save takes its time. */
const LOST_AT_MOST_MS = 12_000;

const random = new SeededRandom(Number(values.seed));
const service = await startService({ env: { PROMPTQ_WATCH_SECONDS: '0.5', PROMPTQ_CONCURRENCY: String(SLOTS) } });
/** How often the processes of attempts are looked at, milliseconds. */
const WATCH_MS = 500;
/** The proof may run beside other work. */
const PATIENCE = { timeoutMs: 900_000 };
const threadOf = new Map<string, string>();
const report = {
  looks: 0,
  two_at_once: 0,
  kills: 0,
  resumed: 0,
  calls: 0,
  made_again: 0,
  oldest_made_again_ms: 0,
  findings: [] as string[],
};
const watching = setInterval(watchThreads, WATCH_MS);
for (let round = 0; report.kills < Number(values.kills); round += 1) {
  const drills = Array.from({ length: CALLS }, (_, call) => `drill: tool sleep 1; echo ${call}`).join('\n');
  const jobs = Array.from({ length: SLOTS }, (_, slot) => ({ prompt: `round ${round} slot ${slot}\n${drills}` }));
  const ids = await Promise.all(jobs.map((job) => createJob(service, job)));
  const next = await Promise.all(ids.map((id) => createJob(service, { continue: id, prompt: `after round ${round}` })));
  for (const [slot, id] of ids.entries()) for (const one of [id, next[slot] ?? '']) threadOf.set(one, id);
  await waitFor(async () => {
    const made = await Promise.all(jobs.map(({ prompt }) => answered(prompt)));
    return made.every((calls) => calls.length > 0);
  }, PATIENCE);
  await delay(random.integer(11_000, 22_000));
  const killedAt = Date.now();
  process.kill(await waitFor(() => findWorker(service.home)), 'SIGKILL');
  for (const [slot, id] of ids.entries()) {
    for (const one of [id, next[slot] ?? '']) {
      const { status } = await untilEnded(service, one);
      if (status !== 'SUCCEEDED') report.findings.push(`${one} ended ${status}`);
    }
    await judge(id, jobs[slot]?.prompt ?? '', killedAt);
  }
  console.error(JSON.stringify(report));
}
clearInterval(watching);
await service.stop();
console.log(JSON.stringify(report, null, 2));
process.exitCode = report.findings.length === 0 && report.resumed >= 0.99 * report.kills ? 0 : 1;

async function judge(id: string, prompt: string, killedAt: number): Promise<void> {
  const { json } = await service.api('GET', `/jobs/${id}`);
  report.kills += 1;
  report.resumed += json.attempts.some((one: { resumed_from: number | null }) => one.resumed_from !== null) ? 1 : 0;
  const first = new Map<number, number>();
  for (const { results, at } of await answered(prompt)) {
    const madeAt = first.get(results);
    report.calls += 1;
    if (madeAt === undefined) {
      first.set(results, Date.parse(at));
      continue;
    }
    const age = killedAt - madeAt;
    report.made_again += 1;
    report.oldest_made_again_ms = Math.max(report.oldest_made_again_ms, age);
    if (age > LOST_AT_MOST_MS) report.findings.push(`${id} made a call again that was ${age} ms old`);
  }
}

/** Looks for threads of which two attempts have a live process. */
function watchThreads(): void {
  report.looks += 1;
  const living = new Map<string, string>();
  for (const { pid, mark } of findAttemptMarks(service.home)) {
    const [job = '', attempt = ''] = mark.split('/').slice(-2);
    const thread = threadOf.get(job);
    if (thread === undefined) continue;
    const other = living.get(thread);
    living.set(thread, `${job}/${attempt}`);
    if (other === undefined || other === `${job}/${attempt}`) continue;
    report.two_at_once += 1;
    report.findings.push(`${thread}: ${other} and ${job}/${attempt} (process ${pid}) were alive together`);
  }
}

/** The model calls of a prompt that were answered in full. */
async function answered(prompt: string): Promise<JournalEntry[]> {
  const { practice_url, practice_key } = JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8'));
  const headers = { authorization: `Bearer ${practice_key}` };
  const answer = await fetch(new URL('/practice/requests', practice_url), { headers });
  const { items } = (await answer.json()) as { items: JournalEntry[] };
  const head = prompt.slice(0, 500);
  return items.filter((entry) => entry.prompt === head && entry.status === 200 && entry.complete);
}
