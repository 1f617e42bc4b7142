import { parseArgs } from 'node:util';
import { createJob, untilEnded } from '../api/job-client.ts';
import { startService, waitFor } from '../local-run/local-service.ts';
import { claudeCli } from '../worker-container/agents/claude-cli.ts';

/**
 * `npm run prove -- messages [--tries N] [--agent NAME]…`: sends a message to each of N jobs of codex and N of claude while a tool of
 * theirs runs, and counts those that the next model request had. Every message has to be accounted for.
 */
const { values } = parseArgs({
  options: { tries: { type: 'string', default: '100' }, agent: { type: 'string', multiple: true } },
});

/** Jobs at a time. */
const SLOTS = 4;
/** Seconds that the tool of a job runs: the worker finds a message within 3 s. */
const WAIT_SECONDS = 20;
/** The proof may run beside other work. */
const PATIENCE = { timeoutMs: 900_000 };

const env = { PROMPTQ_CLAUDE_BIN: await claudeCli(), PROMPTQ_CONCURRENCY: String(SLOTS), PROMPTQ_WATCH_SECONDS: '0.5' };
const service = await startService({ env });
const claude = { name: 'claude-practice', agent: 'claude', vendor: 'practice' };
await service.api('POST', '/config/import', { profiles: [claude] });
const report = { codex: { tries: 0, in_turn: 0, told: 0 }, claude: { tries: 0, in_turn: 0, told: 0 } };
const findings: string[] = [];

/** Starts a job, sends it a message when its agent has begun, and looks for the message in the answer. */
async function tryOnce(agent: keyof typeof report): Promise<void> {
  const profile = agent === 'codex' ? 'practice' : claude.name;
  const id = await createJob(service, { prompt: `drill: wait ${WAIT_SECONDS}`, profile });
  await waitFor(async () => {
    const { json } = await service.api('GET', `/jobs/${id}/logs?stream=stdout`);
    return json.stdout.includes(`sleep ${WAIT_SECONDS}`);
  }, PATIENCE);
  const { json } = await service.api('POST', `/jobs/${id}/messages`, { text: 'count to three' });
  const { status } = await untilEnded(service, id);
  const { json: result } = await service.api('GET', `/jobs/${id}/result`);
  const [message] = await waitFor(async () => {
    const { items } = (await service.api('GET', `/jobs/${id}/messages`)).json;
    return items[0]?.status !== 'pending' && items;
  }, PATIENCE);
  const count = (result.final_message ?? '').split(`Message ${json.id}:`).length - 1;
  report[agent].tries += 1;
  if (count === 1 && message.status === 'delivered') report[agent].in_turn += 1;
  else if (count === 0 && message.status === 'not_delivered') report[agent].told += 1;
  else findings.push(`${id} ${status}: ${count} times in the answer, ${message.status}`);
}

const agents = (['codex', 'claude'] as const).filter((agent) => values.agent?.includes(agent) ?? true);
for (const agent of agents) {
  for (let made = 0; made < Number(values.tries); made += SLOTS)
    await Promise.all(Array.from({ length: Math.min(SLOTS, Number(values.tries) - made) }, () => tryOnce(agent)));
  console.error(JSON.stringify(report));
}
await service.stop();
console.log(JSON.stringify({ ...report, findings }, null, 2));
const isEnough = agents.every((agent) => report[agent].in_turn >= 0.99 * Number(values.tries));
process.exitCode = findings.length === 0 && isEnough ? 0 : 1;
