import { describe, expect, it } from 'vitest';
import { warmWorkersSchema } from '../../../lib/platform/config/warm-workers.ts';
import type { LiveWorkers } from '../../../lib/workers/live-workers.ts';
import { keptWarm } from '../../../worker-container/pool/idle-shutdown.ts';

describe('the workers that a deployment keeps running', () => {
  const NOON = Date.parse('2026-11-25T12:00:00Z');
  /** Whether worker `b` is kept, at several moments (ms after noon). */
  async function kept(count: number, others: readonly object[], ...moments: readonly number[]) {
    let [now, reads] = [NOON, 0];
    const workers = {
      list: async () => {
        reads += 1;
        return others;
      },
    } as unknown as Pick<LiveWorkers, 'list'>;
    const warm = warmWorkersSchema.parse({ count });
    const isKept = keptWarm({
      warm,
      clock: { now: () => now },
      workers,
      workerId: 'b',
    });
    const answers: boolean[] = [];
    for (const moment of moments) {
      now = NOON + moment;
      answers.push(await isKept());
    }
    return { answers, reads };
  }

  it('are the first by their ids that do not leave', async () => {
    expect((await kept(1, [{ id: 'b' }, { id: 'c' }], 0)).answers).toEqual([true]);
    expect((await kept(1, [{ id: 'a' }, { id: 'b' }], 0)).answers).toEqual([false]);
    expect((await kept(2, [{ id: 'a' }, { id: 'b' }], 0)).answers).toEqual([true]);
    expect((await kept(1, [{ id: 'a', leaving: 'idle' }, { id: 'b' }], 0)).answers).toEqual([true]);
  });
});
