import { onTestFinished, vi } from 'vitest';
import type { ReceivedMessage } from '../../../lib/jobs/dispatch/dispatch-queues.ts';
import type { Band } from '../../../lib/platform/aws/tables.ts';
import { MessagePoller } from '../../../worker-container/pool/message-poller.ts';
import { VirtualTime } from '../../simulation/model/virtual-time.ts';

/** More calls, and reads of the time, than any test needs: they stop a source that polls without end. */
const TOO_MANY = { calls: 200, reads: 5_000, races: 1_000 };

export const MESSAGE: ReceivedMessage = {
  message: { v: 1, band: 'high', project: 'p', job: 'job' },
  handle: 'h',
  receives: 1,
};

/** A message that comes so many milliseconds after it was asked for. Default: one. */
type Arriving = ReceivedMessage & { readonly after?: number };

interface Options {
  readonly starvingBands?: () => Promise<readonly Band[]>;
  readonly release?: (received: ReceivedMessage) => Promise<void>;
}

/** A source over queues that answer with `answer`, in virtual time that nothing else advances. */
export function sourceOver(
  answer: (band: string, seconds: number) => Arriving | undefined,
  { starvingBands = async () => [], release = async () => undefined }: Options = {},
) {
  limitRaces();
  const time = new VirtualTime();
  const calls: { readonly band: string; readonly seconds: number; readonly at: number }[] = [];
  const failures: unknown[] = [];
  const taken: (ReceivedMessage | undefined)[] = [];
  const leaving = new AbortController();
  let reads = 0;
  const now = () => {
    reads += 1;
    if (reads > TOO_MANY.reads) throw new Error('it polls without end');
    return time.now;
  };
  const source = new MessagePoller({
    dispatchQueues: {
      receiveUpTo: async (band, { waitSeconds: seconds }) => {
        calls.push({ band, seconds, at: time.now / 1000 });
        if (calls.length > TOO_MANY.calls) leaving.abort();
        const received = answer(band, seconds);
        await time.sleep(received === undefined ? seconds * 1000 + 1 : (received.after ?? 1));
        return received === undefined ? [] : [received];
      },
      release,
    },
    starvingBands,
    onFailure: (error) => void failures.push(error),
    timing: { now, schedule: (run, delay) => time.schedule(run, delay) },
  });
  /** Lets time pass until something is so, or the source polls without end. */
  const runUntil = async (isOver: () => boolean) => {
    // The function that was just called begins with the first event.
    time.schedule(() => undefined, 0);
    await time.run(() => isOver() || calls.length > TOO_MANY.calls);
  };
  const runFor = async (milliseconds: number) => {
    const end = time.now + milliseconds;
    time.schedule(() => undefined, milliseconds);
    await runUntil(() => time.now >= end);
  };
  /** A slot asks for a message. */
  const take = async () => {
    taken.push(await source.next(leaving.signal));
  };
  /** The answer to a last poll, once there is one. */
  const last: { isOver?: boolean } = {};
  const lastPoll = () =>
    void source.lastPoll().then((isOver) => {
      last.isOver = isOver;
    });
  return { source, time, calls, failures, taken, leaving, last, runUntil, runFor, take, lastPoll };
}

const { race } = Promise;

/** A source that waits for nothing without end would let nothing else happen. */
function limitRaces(): void {
  let races = 0;
  const limited = vi.spyOn(Promise, 'race').mockImplementation((given) => {
    races += 1;
    if (races > TOO_MANY.races) throw new Error('it waits without end');
    return race.call(Promise, given);
  });
  onTestFinished(() => limited.mockRestore());
}
