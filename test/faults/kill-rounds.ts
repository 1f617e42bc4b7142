import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';
import { findOfHome, findWorker } from '../local-run/marked-processes.ts';
import { SeededRandom } from '../simulation/seeded-random.ts';
import { Ledger } from './ledger.ts';
import { runLoad } from './load.ts';
import { type Verdict, verdict } from './verdict.ts';

/** What is killed: the worker alone, the service's own process alone, or every process of the run. */
const TARGETS = ['worker', 'service', 'everything'] as const;
type Target = (typeof TARGETS)[number];

export interface KillReport extends Verdict {
  readonly seed: number;
  readonly kills: Record<Target, number>;
  readonly calls: number;
  readonly callsCut: number;
  /** Creations that went without an answer and were not repeated. */
  readonly unanswered: number;
  readonly seconds: number;
}

const CLIENTS = 4;
/** Milliseconds of work between two kills. */
const BETWEEN = { from: 200, to: 2_000 } as const;
/** A worker that exits repeatedly is started after growing pauses, a new service's at once. */
const WORKER_KILLS_IN_A_ROW = 2;
const SETTINGS = { PROMPTQ_CONCURRENCY: '4', PROMPTQ_WATCH_SECONDS: '2' } as const;

/**
 * Kills parts of a local run (SIGKILL) at random moments while clients work on it, starts it again on the same home at
 * once, and at last compares the clients' responses with the stored state. The seed determines the moments and the load,
 * but not how the machine handles them.
 */
export async function killRounds(options: {
  rounds: number;
  seed: number;
  log?: (line: string) => void;
}): Promise<KillReport> {
  const { rounds, seed, log = () => undefined } = options;
  const began = performance.now();
  const random = new SeededRandom(seed);
  const home = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  const diary = join(home, 'diary');
  const ledger = new Ledger();
  const kills = { worker: 0, service: 0, everything: 0 };
  const stopped = new AbortController();
  let service: OwnService | undefined = await startService({ home, env: SETTINGS });
  const clients = Array.from({ length: CLIENTS }, (_, n) =>
    runLoad(
      { service: () => service, ledger, diary, signal: stopped.signal, random: new SeededRandom(seed * 1_000 + n) },
      n,
    ),
  );
  try {
    for (let round = 0, inARow = 0; round < rounds; round += 1) {
      await delay(random.integer(BETWEEN.from, BETWEEN.to));
      const target: Target =
        inARow < WORKER_KILLS_IN_A_ROW && random.chance(0.6) ? 'worker' : random.pick(['service', 'everything']);
      inARow = target === 'worker' ? inARow + 1 : 0;
      kills[target] += 1;
      log(`round ${round + 1} of ${rounds}: ${target}, ${ledger.jobs.size} jobs so far`);
      if (target === 'worker') {
        process.kill(await waitFor(() => findWorker(home)), 'SIGKILL');
        continue;
      }
      const killed = service;
      service = undefined;
      await killed?.kill9();
      if (target === 'everything') killAll(findOfHome(home));
      service = await startService({ home, env: SETTINGS });
    }
    stopped.abort();
    await Promise.all(clients);
    const found = await verdict({ service, ledger, diary, log });
    await service.stop();
    service = undefined;
    // The processes that were killed last take a moment to end.
    await waitFor(() => findOfHome(home).length === 0).catch(() => undefined);
    const processesLeft = found.processesLeft.concat(findOfHome(home));
    const { calls, cut, unanswered } = ledger;
    const seconds = Math.round((performance.now() - began) / 1000);
    return { seed, kills, calls, callsCut: cut, unanswered, ...found, processesLeft, seconds };
  } finally {
    stopped.abort();
    await service?.stop();
    killAll(findOfHome(home));
    await rm(home, { recursive: true, force: true });
  }
}

function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
}
