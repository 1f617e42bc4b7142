import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { endAttempt } from '../../../../lib/jobs/dispatch/end-attempt.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { messageJobId } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { acceptMessage } from '../../../../lib/jobs/messages/accept-message.ts';
import { settleMessages } from '../../../../lib/jobs/messages/settle-messages.ts';
import type { Outcome } from '../../../../lib/jobs/receipts/receipt.ts';
import { settlePendingMessages } from '../../../../lib/reconciler/after-attempt.ts';
import { MessageCourier } from '../../../../worker-container/messages/message-courier.ts';
import { SeededRandom } from '../../../simulation/seeded-random.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { amount } from '../../../vitest/amount.ts';
import { aReceipt, aRunningJob } from '../a-job.ts';

const RACES = amount(250, 1_000);
/** Longest pause before and after each call of a service, in turns of the event loop's microtasks. */
const LONGEST = 12;

const OUTCOMES: readonly (Pick<Outcome, 'kind' | 'reason'> & Partial<Outcome>)[] = [
  { kind: 'succeeded', reason: 'exited' },
  { kind: 'failed', reason: 'agent_error' },
];

async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick += 1) await Promise.resolve();
}

function isDelivery(command: unknown): boolean {
  return command instanceof PutCommand && command.input.Item?.state === 'delivered';
}

interface Race {
  readonly what: string;
  readonly faults: string[];
}

/** A message that is sent while its job's attempt ends, with every call of a service taking a random time. */
async function race(seed: number): Promise<Race> {
  const random = new SeededRandom(seed);
  const deployment = quietDeployment();
  await deployment.profiles.put({ name: 'practice', agent: 'codex', vendor: 'practice' });
  const running = await deployment.store(aRunningJob({ agent: 'codex', texts: 'none' }));
  const session: string[] = [];
  const { table } = deployment;
  const send = table.send.bind(table);
  table.send = (async (command: Parameters<typeof send>[0]) => {
    await ticks(random.integer(0, LONGEST));
    if (isDelivery(command) && session.length > 0 && random.chance(0.2)) throw new Error('the table is busy');
    const answer = await send(command);
    await ticks(random.integer(0, LONGEST));
    return answer;
  }) as typeof table.send;
  const seen = new Set<string>();
  const accepted = sendMessage(deployment, running, random);
  const ended = runAttempt(deployment, running, { random, session, seen });
  const cancelled = random.chance(0.3) ? cancel(deployment, running, random) : undefined;
  const [id] = await Promise.all([accepted, ended, cancelled]);
  table.send = send;
  const settling = [settlePendingMessages(deployment as never)];
  const job = await deployment.read(running);
  if (job !== undefined && random.chance(0.5)) settling.push(settleMessages(deployment, job).then(() => undefined));
  await Promise.all(settling);
  return await judge(deployment, { job: running, id, session });
}

async function sendMessage(deployment: QuietDeployment, job: Job, random: SeededRandom): Promise<string | undefined> {
  await ticks(random.integer(0, 300));
  const context = { ...deployment, messages: deployment.texts.messages };
  const known = (await deployment.read(job)) ?? job;
  const sent = await acceptMessage(context, known, { text: 'count to three' }, 'token:test').catch(() => undefined);
  return sent?.id;
}

async function cancel(deployment: QuietDeployment, job: Job, random: SeededRandom): Promise<void> {
  await ticks(random.integer(0, 400));
  await transition(deployment, job, { type: 'cancel' });
}

/** The end of an attempt, as a worker has it: the agent reads what it is given some time later, or never. */
async function runAttempt(
  deployment: QuietDeployment,
  job: Job,
  { random, session, seen }: { random: SeededRandom; session: string[]; seen: Set<string> },
): Promise<void> {
  const { messages } = deployment.texts;
  const now = () => deployment.clock.now();
  const courier = new MessageCourier({ messages, now, job, given: [], seen, onFailure: () => undefined });
  let isOver = false;
  courier.open(({ id }) => {
    if (isOver) return false;
    void ticks(random.integer(0, 100)).then(() => {
      if (isOver) return;
      session.push(id);
      courier.onSeen(id);
    });
    return true;
  });
  for (let checks = random.integer(0, 8); checks > 0; checks -= 1) {
    await ticks(random.integer(0, 100));
    courier.check();
  }
  isOver = true;
  await courier.close();
  const receipt = aReceipt(random.pick(OUTCOMES), { job_id: job.id, ...(seen.size > 0 && { messages: [...seen] }) });
  await deployment.output.putReceipt(receipt);
  const result = await endAttempt(deployment, (await deployment.read(job)) ?? job, receipt);
  if (!result.done) throw new Error(result.rejected);
}

/** A message is in the session once, or becomes the next job, or is not delivered because the job was cancelled. */
async function judge(
  deployment: QuietDeployment,
  { job: { id: jobId }, id, session }: { job: Job; id: string | undefined; session: readonly string[] },
): Promise<Race> {
  const job = await deployment.jobs.find(jobId);
  if (job === undefined || job === 'newer') throw new Error('the job is gone');
  const rows = await deployment.texts.messages.list(jobId);
  const faults: string[] = [];
  if (id === undefined) return { what: 'refused', faults: rows.length === 0 ? [] : ['refused, and stored'] };
  const [row] = rows;
  const times = session.filter((one) => one === id).length;
  const next = await deployment.jobs.find(messageJobId(jobId, id));
  if (rows.length !== 1 || row === undefined) return { what: 'lost', faults: [`${rows.length} rows`] };
  if (times > 1) faults.push('twice in the session');
  if ((row.state === 'delivered') !== (times === 1)) faults.push(`${row.state}, ${times} times in the session`);
  if (row.state !== 'delivered' && row.state !== 'not_delivered') faults.push(`it stays ${row.state}`);
  const becomesTurn = row.state === 'not_delivered' && job.status !== 'CANCELLED';
  if ((next !== undefined) !== becomesTurn) faults.push(`${job.status}, ${row.state}, next job: ${next !== undefined}`);
  if (job.messages_pending === true) faults.push('its job is not settled');
  return { what: `${job.status} ${row.state}`, faults };
}

it(`a message that is sent as its attempt ends is in the session, or becomes a turn, or is refused: ${RACES} races`, async () => {
  const tally = new Map<string, number>();
  for (let seed = 1; seed <= RACES; seed += 1) {
    const { what, faults } = await race(seed);
    expect({ seed, what, faults }).toEqual({ seed, what, faults: [] });
    tally.set(what, (tally.get(what) ?? 0) + 1);
  }
  // Each of the ways that a race can end has been seen.
  expect([...tally.keys()].toSorted()).toEqual([
    'CANCELLED delivered',
    'CANCELLED not_delivered',
    'FAILED delivered',
    'FAILED not_delivered',
    'SUCCEEDED delivered',
    'SUCCEEDED not_delivered',
    'refused',
  ]);
});
