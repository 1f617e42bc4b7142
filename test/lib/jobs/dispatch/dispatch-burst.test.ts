import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Claim, type ClaimContext, claim } from '../../../../lib/jobs/admission/claim.ts';
import { OwnClaims } from '../../../../lib/jobs/admission/own-claims.ts';
import type { ReceivedMessage } from '../../../../lib/jobs/dispatch/dispatch-queues.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { resendStaleMessages } from '../../../../lib/reconciler/reconcile-jobs.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { amount } from '../../../vitest/amount.ts';
import { aJob } from '../a-job.ts';

let deployment: EmulatedDeployment;
beforeEach(async () => {
  deployment = await emulateDeployment();
});
afterEach(async () => await deployment.stop());

/** Random numbers from 0 to 1 that a seed repeats (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('a burst of jobs under 24 claimers', () => {
  const JOBS = amount(120, 300);
  const CLAIMERS = 24;
  const PROJECTS = 20;

  it('with a stale index and dispatch messages that overtake their jobs: each is claimed once, at the latest by reconcile-jobs', async () => {
    const random = seeded(20_261_120);
    /** When the index begins to show a job; for one in twenty long after the last retry of its message. */
    const shownAt = new Map<string, number>();
    const context: ClaimContext = {
      ...deployment,
      // A query's result is as old as the query is slow, and lacks jobs that the index does not show yet.
      readReady: async (partition) => {
        const jobs = await deployment.readReady(partition);
        await sleep(random() * 20);
        return jobs.filter(({ id }) => (shownAt.get(id) ?? 0) < performance.now());
      },
    };
    const created = Array.from({ length: JOBS }, (_, n) =>
      aJob({ id: jobIdOfKey(`burst ${n}`), project_id: `p-${n % PROJECTS}`, change_id: `burst ${n}` }),
    );
    const claims = new Map<string, number>();
    const stopping = new AbortController();
    const claimers = Array.from({ length: CLAIMERS }, (_, n) =>
      claimUntil({ ...context, ownClaims: new OwnClaims() }, `worker-${n}`, stopping.signal, (job) =>
        claims.set(job.id, (claims.get(job.id) ?? 0) + 1),
      ),
    );
    await inParallel(created, 24, async (job) => {
      await createSlowly(job, random);
      shownAt.set(job.id, performance.now() + (random() < 0.05 ? 30_000 : random() * 200));
    });

    const stranded = await untilQuiet(claims);
    let passes = 0;
    for (let left = stranded; left > 0 && passes < 10; left = await untilQuiet(claims)) {
      passes += 1;
      // Only the minute after which a job counts as stale has passed.
      await resendStaleMessages({ ...deployment, clock: { now: () => deployment.clock.now() + 61_000 } });
    }
    stopping.abort();
    await Promise.all(claimers);

    expect(claims.size).toBe(JOBS);
    expect([...claims.values()].filter((times) => times !== 1)).toEqual([]);
    const jobs = await Promise.all(created.map(({ id }) => deployment.jobs.get(id, { consistent: true })));
    expect(jobs.filter((job) => job?.status !== 'RUNNING' || job.attempt !== 1)).toEqual([]);
    // A job's message may have served another job, and an index that lags longer than the retries hides the rest.
    console.log(`of ${JOBS} jobs ${stranded} waited for reconcile-jobs, which claimed them in ${passes} passes`);
  });

  /** Sends the message first, then writes the job, sometimes later than all retries of the message together. */
  async function createSlowly(job: Job, random: () => number): Promise<void> {
    const slow = random() < 0.05;
    await deployment.dispatchQueues.send(job);
    await sleep(random() * (slow ? 2_000 : 100));
    const at = new Date(deployment.clock.now()).toISOString();
    await deployment.jobs.create({ ...job, created_at: at, queued_at: at });
  }

  /** Waits until no claim has come for longer than a message is retried. @returns how many jobs are left */
  async function untilQuiet(claims: ReadonlyMap<string, number>): Promise<number> {
    for (let before = -1, quietSince = performance.now(); claims.size < JOBS; ) {
      if (claims.size !== before) {
        before = claims.size;
        quietSince = performance.now();
      }
      if (performance.now() - quietSince > 8_000) break;
      await sleep(50);
    }
    return JOBS - claims.size;
  }
});

async function claimUntil(
  context: ClaimContext,
  workerId: string,
  signal: AbortSignal,
  onClaimed: (job: Job) => void,
): Promise<void> {
  while (!signal.aborted) {
    const held = await context.dispatchQueues.receive('normal', 1);
    if (held === undefined) continue;
    const claimed: Claim = await claim(context, held, workerId);
    if (claimed.kind === 'claimed') onClaimed(claimed.job);
    if (claimed.kind === 'retry_later') await context.dispatchQueues.extend(held, claimed.seconds);
    else await context.dispatchQueues.acknowledge(held);
  }
}

async function inParallel<T>(items: readonly T[], lanes: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const item of waiting) await work(item);
    }),
  );
}

describe('a flood of 260 jobs of one project', () => {
  // SQS's fair queues, which keep a flood's messages from going first, are AWS's part; the emulator ignores
  // MessageGroupId and delivers messages in order of arrival. The service's part is shown: each message has its project
  // as its group, and in any order serves its own project only. So a job waits for no more starts
  // than there are messages before the first of its project.
  it("delays another project's job by no start beyond the dispatch messages before it", async () => {
    const flood = Array.from({ length: 260 }, (_, n) => ({
      id: jobIdOfKey(`flood ${n}`),
      project_id: 'p-flood',
      queued_at: '2026-11-20T09:00:00.000Z',
    }));
    await inParallel(flood, 32, async (job) => void (await deployment.store(job)));
    const small = await deployment.store({ id: jobIdOfKey('small'), project_id: 'p-small' });
    const starts: string[] = [];
    // As a fair queue delivers them: a group that was served is followed by one that was not.
    for (const job of [flood[259], small, flood[0], small]) {
      const held = permitOf(job?.id ?? '', job?.project_id ?? '');
      const claimed = await claim({ ...deployment, pause: async () => undefined }, held, 'worker-1');
      if (claimed.kind === 'claimed') starts.push(claimed.job.project_id);
      else starts.push(claimed.kind);
    }
    // The second message of the small project finds nothing: it takes no job of the flood.
    expect(starts).toEqual(['p-flood', 'p-small', 'p-flood', 'retry_later']);
  });

  it('sends every dispatch message in the group of its project', async () => {
    const groups: unknown[] = [];
    deployment.queues.middlewareStack.add(
      (next, context) => async (args) => {
        if (context.commandName === 'SendMessageCommand') groups.push(Reflect.get(args.input, 'MessageGroupId'));
        return await next(args);
      },
      { step: 'initialize' },
    );
    await deployment.dispatchQueues.send(aJob({ project_id: 'p-flood' }));
    await deployment.dispatchQueues.send(aJob({ project_id: 'p-small', priority: 4 }));
    expect(groups).toEqual(['p-flood', 'p-small']);
  });

  function permitOf(job: string, project: string): ReceivedMessage {
    return { message: { v: 1, band: 'normal', project, job }, handle: 'handle', receives: 1 };
  }
});
