import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentName } from '../../../lib/contract/agents.ts';
import { AttemptClocks, CLOCKS } from '../../../worker-container/attempt/attempt-clocks.ts';
import { Ending } from '../../../worker-container/commands/ending.ts';

const DAY = 86_400_000;
const START = CLOCKS.cli.start ?? 0;
const SILENCE = CLOCKS.cli.silence ?? 0;
const GRACE = CLOCKS.cli.grace;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Started clocks, and the reason for which they have requested the end so far. */
function begun({ agent, total }: { agent?: AgentName; total?: number } = {}) {
  const ending = new Ending();
  const clocks = new AttemptClocks(ending, total);
  if (agent !== undefined) clocks.onStart(agent);
  const reasonAfter = (milliseconds: number) => {
    vi.advanceTimersByTime(milliseconds);
    return ending.reason;
  };
  return { clocks, reasonAfter, reason: () => ending.reason };
}

describe.for(['codex', 'claude'] as const)('an attempt of %s', (agent) => {
  it('is ended when its agent writes nothing from its start on', () => {
    const { reasonAfter } = begun({ agent });
    expect(reasonAfter(START - 1)).toBeUndefined();
    expect(reasonAfter(1)).toBe('no_start');
  });

  it('continues as long as its agent writes from time to time', () => {
    const { clocks, reasonAfter } = begun({ agent });
    for (let hours = 0; hours < 30; hours += 1) {
      clocks.onOutput();
      expect(reasonAfter(SILENCE - 1)).toBeUndefined();
    }
    expect(reasonAfter(1)).toBe('silent');
  });

  it('is ended when its agent stays after its final result', () => {
    const { clocks, reasonAfter } = begun({ agent });
    clocks.onOutput();
    clocks.onFinished();
    expect(reasonAfter(GRACE - 1)).toBeUndefined();
    // Neither more output nor a second result delays it.
    clocks.onOutput();
    clocks.onFinished();
    expect(reasonAfter(1)).toBe('finished_not_exited');
  });

  it('continues when its agent begins another turn after its result', () => {
    const { clocks, reasonAfter } = begun({ agent });
    clocks.onOutput();
    clocks.onFinished();
    clocks.onUnfinished();
    expect(reasonAfter(SILENCE - GRACE - 1)).toBeUndefined();
    clocks.onFinished();
    expect(reasonAfter(GRACE)).toBe('finished_not_exited');
  });
});

it('counts the attempts whose session it continues, from the moment when it is known to', () => {
  const { clocks, reasonAfter } = begun({ total: 1_000 });
  reasonAfter(100);
  clocks.onContinued(400);
  expect(reasonAfter(499)).toBeUndefined();
  expect(reasonAfter(1)).toBe('timed_out');
  const exhausted = begun({ total: 1_000 });
  exhausted.clocks.onContinued(1_000);
  expect(exhausted.reason()).toBe('timed_out');
  const unlimited = begun();
  unlimited.clocks.onContinued(1_000);
  expect(unlimited.reasonAfter(DAY)).toBeUndefined();
});

it('an attempt of a shell script has no limit of silence', () => {
  const { clocks, reasonAfter } = begun({ agent: 'shell' });
  expect(reasonAfter(DAY)).toBeUndefined();
  clocks.onOutput();
  expect(reasonAfter(DAY)).toBeUndefined();
});

describe("a job's timeout", () => {
  it('counts from before its agent starts, whatever is written', () => {
    const { clocks, reasonAfter } = begun({ total: 60_000 });
    expect(reasonAfter(30_000)).toBeUndefined();
    clocks.onStart('claude');
    clocks.onOutput();
    expect(reasonAfter(29_999)).toBeUndefined();
    expect(reasonAfter(1)).toBe('timed_out');
  });

  it('may be longer than a timer of Node.js, which would fire at once', () => {
    const { reasonAfter } = begun({ total: 30 * DAY });
    expect(reasonAfter(24 * DAY)).toBeUndefined();
  });
});
