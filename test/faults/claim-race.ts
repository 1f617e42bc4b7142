import { type ClaimContext, claim } from '../../lib/jobs/admission/claim.ts';
import type { ReceivedMessage } from '../../lib/jobs/dispatch/dispatch-queues.ts';
import { jobIdOfKey } from '../../lib/jobs/lifecycle/job-id.ts';
import { BANDS, type Band } from '../../lib/platform/aws/tables.ts';
import { oneAtATime } from '../../lib/platform/one-at-a-time.ts';
import { SeededRandom } from '../simulation/seeded-random.ts';
import type { EmulatedDeployment } from '../stand-ins/emulated-deployment.ts';

export interface ClaimRace {
  readonly jobs: number;
  readonly claimers: number;
  /** Messages handled: each message is delivered three times. */
  readonly deliveries: number;
  /** Claims that won. */
  readonly claims: number;
  readonly givenBack: number;
  readonly dropped: number;
  /** Jobs that were not claimed exactly once, or are not RUNNING in their first attempt by the claimer that got them. */
  readonly wrong: string[];
  readonly seconds: number;
}

const DELIVERIES = 3;
const PROJECTS = 8;
const PRIORITY_OF: Readonly<Record<Band, number>> = { high: 1, normal: 0, low: -1 };
/** Messages that a claimer takes from a queue when it finds no delivery to handle. */
const RECEIVERS = 4;

/**
 * Lets claimers race for jobs with every message delivered three times, in any order and at the same time to different
 * claimers, as SQS standard queues may. Jobs, messages, queues, index and conditions are real, on the emulators.
 */
export async function raceForClaims(
  deployment: EmulatedDeployment,
  { jobs, claimers, seed }: { jobs: number; claimers: number; seed: number },
): Promise<ClaimRace> {
  const random = new SeededRandom(seed);
  const ids = Array.from({ length: jobs }, (_, n) => jobIdOfKey(`race ${seed} ${n}`));
  await inLanes(ids, 32, async (id) => {
    const band = random.pick(BANDS);
    const job = await deployment.store({
      id,
      project_id: `p-${random.integer(1, PROJECTS)}`,
      priority: PRIORITY_OF[band],
    });
    await deployment.dispatchQueues.send(job);
  });
  const deliveries = shuffled(await receiveAll(deployment, jobs), random);
  const began = performance.now();
  const claimedBy = new Map<string, string[]>();
  const tally = { claims: 0, givenBack: 0, dropped: 0 };
  const waiting = deliveries.values();
  await Promise.all(
    Array.from({ length: claimers }, async (_, n) => {
      const worker = `worker-${n}`;
      const context: ClaimContext = { ...deployment, inTurn: oneAtATime(), pause: async () => undefined };
      for (const held of waiting) {
        const result = await claim(context, held, worker);
        if (result.kind === 'claimed') {
          tally.claims += 1;
          claimedBy.set(result.job.id, [...(claimedBy.get(result.job.id) ?? []), worker]);
        } else if (result.kind === 'retry_later') tally.givenBack += 1;
        else tally.dropped += 1;
      }
    }),
  );
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  const wrong: string[] = [];
  await inLanes(ids, 32, async (id) => {
    const job = await deployment.jobs.get(id, { consistent: true });
    const winners = claimedBy.get(id) ?? [];
    if (winners.length !== 1 || job?.status !== 'RUNNING' || job.attempt !== 1 || job.worker_id !== winners[0])
      wrong.push(
        `${id}: claimed by ${winners.join(', ') || 'nobody'}; ${job?.status} attempt ${job?.attempt} of ${job?.worker_id}`,
      );
  });
  return { jobs, claimers, deliveries: deliveries.length, ...tally, wrong, seconds };
}

/** Empties the queues; each message as it is at its first, second and third delivery. */
async function receiveAll({ dispatchQueues }: EmulatedDeployment, count: number): Promise<ReceivedMessage[]> {
  const held: ReceivedMessage[] = [];
  await Promise.all(
    BANDS.flatMap((band) =>
      Array.from({ length: RECEIVERS }, async () => {
        for (
          let next = await dispatchQueues.receive(band, 0);
          next !== undefined;
          next = await dispatchQueues.receive(band, 0)
        ) {
          const received = next;
          held.push(...Array.from({ length: DELIVERIES }, (_, n) => ({ ...received, receives: n + 1 })));
        }
      }),
    ),
  );
  if (held.length !== count * DELIVERIES)
    throw new Error(`${held.length / DELIVERIES} messages of ${count} were received`);
  return held;
}

function shuffled<T>(items: readonly T[], random: SeededRandom): T[] {
  return items
    .map((item) => ({ item, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

async function inLanes<T>(items: readonly T[], lanes: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const item of waiting) await work(item);
    }),
  );
}
