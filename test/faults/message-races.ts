import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createJob, untilEnded } from '../api/job-client.ts';
import { startService, waitFor } from '../local-run/local-service.ts';
import { SeededRandom } from '../simulation/seeded-random.ts';

/**
 * `npm run prove -- message-races [--races N] [--seed N]`: sends a message to each of N jobs of the real codex about when
 * its attempt ends. Each message has to be in the answer once, or become the next turn, or be refused.
 */
const { values } = parseArgs({
  options: { races: { type: 'string', default: '50' }, seed: { type: 'string', default: '1' } },
});

/** Jobs at a time. */
const SLOTS = 3;
/** Seconds that the tool of a job runs. */
const WAIT_SECONDS = 5;
/** Milliseconds from the start of the tool in which the message is sent: until about when the attempt ends. */
const LATEST_MS = 8_000;
/** The proof may run beside other work. */
const PATIENCE = { timeoutMs: 600_000 };

const random = new SeededRandom(Number(values.seed));
const service = await startService({ env: { PROMPTQ_CONCURRENCY: String(SLOTS), PROMPTQ_WATCH_SECONDS: '0.5' } });
const report = { races: 0, in_session: 0, next_turn: 0, refused: 0 };
const findings: string[] = [];

async function raceOnce(): Promise<void> {
  const delay = random.integer(0, LATEST_MS);
  const id = await createJob(service, { prompt: `drill: wait ${WAIT_SECONDS}` });
  await waitFor(async () => {
    const { json } = await service.api('GET', `/jobs/${id}/logs?stream=stdout`);
    return json.stdout.includes(`sleep ${WAIT_SECONDS}`);
  }, PATIENCE);
  await sleep(delay);
  const sent = await service.api('POST', `/jobs/${id}/messages`, { text: 'count to three' });
  await untilEnded(service, id);
  report.races += 1;
  if (sent.status === 400 && sent.json.details.use === 'continue') {
    report.refused += 1;
    return;
  }
  const [message] = await waitFor(async () => {
    const { items } = (await service.api('GET', `/jobs/${id}/messages`)).json;
    return items[0]?.status !== 'pending' && items;
  }, PATIENCE);
  const { final_message } = (await service.api('GET', `/jobs/${id}/result`)).json;
  const times = (final_message ?? '').split(`Message ${message.id}:`).length - 1;
  const next = message.next_job_id === null ? undefined : await untilEnded(service, message.next_job_id);
  if (message.status === 'delivered' && times === 1 && next === undefined) report.in_session += 1;
  else if (message.status === 'not_delivered' && times === 0 && next?.status === 'SUCCEEDED') report.next_turn += 1;
  else findings.push(`${id}: ${sent.status}, ${times} times in the answer, ${message.status}, next ${next?.status}`);
}

for (let made = 0; made < Number(values.races); made += SLOTS)
  await Promise.all(Array.from({ length: Math.min(SLOTS, Number(values.races) - made) }, () => raceOnce()));
await service.stop();
console.log(JSON.stringify({ ...report, findings }, null, 2));
process.exitCode = findings.length === 0 ? 0 : 1;
