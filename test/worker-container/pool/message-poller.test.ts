import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ReceivedMessage } from '../../../lib/jobs/dispatch/dispatch-queues.ts';
import type { Band } from '../../../lib/platform/aws/tables.ts';
import { starvingBands } from '../../../lib/reconciler/starving-bands.ts';
import { machineTiming } from '../../../worker-container/output/timing.ts';
import { MessagePoller } from '../../../worker-container/pool/message-poller.ts';
import { VirtualTime } from '../../simulation/model/virtual-time.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeEach(async () => {
  deployment = await emulateDeployment();
});
afterEach(async () => await deployment.stop());

const PRIORITY = { high: 1, normal: 0, low: -1 } as const;

async function send(band: Band): Promise<void> {
  await deployment.dispatchQueues.send({ id: `job of ${band}`, project_id: 'p', priority: PRIORITY[band] });
}

function sourceWith(starving: () => Promise<readonly Band[]>, now = machineTiming.now): MessagePoller {
  return new MessagePoller({
    timing: { ...machineTiming, now },
    dispatchQueues: deployment.dispatchQueues,
    starvingBands: starving,
    onFailure: () => undefined,
  });
}

/** Bands of the next messages; the high band never empties, the others have what was sent. */
async function nextBands(source: MessagePoller, count: number): Promise<Band[]> {
  const bands: Band[] = [];
  const { signal } = new AbortController();
  for (let n = 0; n < count; n += 1) {
    await send('high');
    const held: ReceivedMessage | undefined = await source.next(signal);
    if (held === undefined) break;
    await deployment.dispatchQueues.acknowledge(held);
    bands.push(held.message.band);
  }
  return bands;
}

it('a low job that has waited over a minute starts although the high band never empties; a younger one waits', async () => {
  const queued = new Date(deployment.clock.now()).toISOString();
  const waiting = { priority: -1, created_at: queued, queued_at: queued };
  await deployment.store({ id: 'job_00000000000000000000000001', ...waiting });
  await send('low');
  let sinceThen = 0;
  const clock = { now: () => Date.parse(queued) + sinceThen };
  let reads = 0;
  const read = async () => {
    reads += 1;
    return await starvingBands({ byStatus: deployment.byStatus, clock });
  };
  const source = sourceWith(read, () => sinceThen);
  sinceThen = 59_000;
  expect(new Set(await nextBands(source, 16))).toEqual(new Set(['high']));
  sinceThen = 61_000;
  const bands = await nextBands(source, 16);
  expect(bands.filter((band) => band === 'low')).toHaveLength(1);
  expect(bands.indexOf('low')).toBeLessThan(8);
  // Once a second, however many messages come.
  expect(reads).toBe(2);
});

it('starving bands are polled in turn, so that one that never empties starves no other', async () => {
  for (let n = 0; n < 8; n += 1) await send('low');
  for (let n = 0; n < 8; n += 1) await send('normal');
  const bands = await nextBands(
    sourceWith(async () => ['low', 'normal']),
    32,
  );
  expect(bands.filter((band) => band === 'low')).toHaveLength(2);
  expect(bands.filter((band) => band === 'normal')).toHaveLength(2);
});

it('after a last poll that finds nothing, later messages stay for other workers', async () => {
  const source = sourceWith(async () => []);
  expect(await source.lastPoll()).toBe(true);
  const leaving = new AbortController();
  const taken = source.next(leaving.signal);
  await send('normal');
  leaving.abort();
  expect(await taken).toBeUndefined();
  expect(await deployment.dispatchQueues.receive('normal', 1)).toBeDefined();
});

it('a message that arrives during the last poll is taken at once, and polling continues', async () => {
  const { dispatchQueues } = deployment;
  const sent = Promise.withResolvers<void>();
  const source = new MessagePoller({
    dispatchQueues: {
      // The poll begins before the message arrives, and does not end before.
      receiveUpTo: async (band, how) => await sent.promise.then(() => dispatchQueues.receiveUpTo(band, how)),
      release: async (held) => await dispatchQueues.release(held),
    },
    starvingBands: async () => [],
    onFailure: () => undefined,
  });
  const { signal } = new AbortController();
  const next = source.next(signal);
  const last = source.lastPoll();
  await send('low');
  sent.resolve();
  expect((await next)?.message.band).toBe('low');
  expect(await last).toBe(false);
  await send('high');
  expect((await source.next(signal))?.message.band).toBe('high');
});

it('a last poll that failed does not count', async () => {
  const broken = {
    ...deployment.dispatchQueues,
    receiveUpTo: async () => await Promise.reject(new Error('throttled')),
  };
  const failures: unknown[] = [];
  const source = new MessagePoller({
    dispatchQueues: { ...broken, release: async () => undefined },
    starvingBands: async () => [],
    onFailure: (error) => failures.push(error),
  });
  expect(await source.lastPoll()).toBe(false);
  expect(failures).toHaveLength(3);
});

it('an empty queue is polled for 20 seconds at a time, not in a busy loop', async () => {
  const time = new VirtualTime();
  const polls: [band: Band, at: number][] = [];
  const source = new MessagePoller({
    dispatchQueues: {
      receiveUpTo: async (band, { waitSeconds }) => {
        if (waitSeconds > 0) polls.push([band, Math.floor(time.now / 1_000)]);
        await time.sleep(waitSeconds * 1_000 + 1);
        return [];
      },
      release: async () => undefined,
    },
    starvingBands: async () => [],
    onFailure: () => undefined,
    timing: { now: () => time.now, schedule: (run, delay) => time.schedule(run, delay) },
  });
  const leaving = new AbortController();
  void source.next(leaving.signal);
  for (const delay of [0, 65_000]) time.schedule(() => undefined, delay);
  await time.run(() => time.now >= 65_000 || polls.length > 50);
  leaving.abort();
  for (const band of ['high', 'normal', 'low'])
    expect(polls.filter(([polled]) => polled === band).map(([, at]) => at)).toEqual([0, 20, 40, 60]);
});
