import { expect, test, vi } from 'vitest';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { reportProgress } from '../../../worker-container/tools/attempt-tools.ts';

const onProgress = vi.fn();
const clock = { now: () => Date.parse('2026-11-25T10:00:00.000Z') };
const progress = reportProgress(onProgress, { redaction: new Redaction(['hunter2']), clock });

test('a report is masked before the heartbeat gets it', async () => {
  await progress.call({ text: 'logged in with hunter2', percent: 5 }, new AbortController().signal);
  expect(onProgress).toHaveBeenCalledWith({ text: 'logged in with ***', percent: 5, at: '2026-11-25T10:00:00.000Z' });
});

test.for([
  [{ text: 'x'.repeat(200), percent: 100 }, true],
  [{ text: 'half way' }, true],
  [{ text: 'x'.repeat(201) }, false],
  [{ text: '' }, false],
  [{ text: 'two\u001b[2Jlines' }, false],
  [{ text: 'half way', percent: 101 }, false],
  [{ text: 'half way', percent: -1 }, false],
  [{ text: 'half way', percent: 0.5 }, false],
] as const)('a report of %j: taken is %s', ([input, isTaken]) => {
  expect(progress.input.safeParse(input).success).toBe(isTaken);
});
