import { isTerminal } from '../../../lib/contract/statuses.ts';
import { effectOf } from '../../../lib/jobs/lifecycle/effects.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { Actor } from '../model/client.ts';

/** What is wrong with the effects that a write lists; undefined: nothing. */
export function faultOfEffects(before: Job | undefined, after: Job, { doing }: Actor): string | undefined {
  const effects = after.effects ?? [];
  const names = effects.map(({ name, attempt }) => `${name} ${attempt ?? ''}`);
  if (new Set(names).size < names.length) return `an effect is listed twice: ${names.join(', ')}`;
  if (before === undefined) return effects.length === 0 ? undefined : 'a new job lists effects';
  const hasEnded = before.status !== after.status && isTerminal(after.status);
  if (hasEnded && after.messages !== undefined && effectOf(after, 'messages') === undefined)
    return 'it ended and leaves its messages';
  const isInThread = (after.thread_id ?? after.forked_from) !== undefined;
  if (hasEnded && isInThread && effectOf(after, 'thread') === undefined) return 'it ended and leaves its thread';
  const isRetried = isTerminal(before.status) && after.status === 'QUEUED';
  if (isRetried && effects.some(({ attempt }) => attempt === undefined)) return 'it was retried and lists its last end';
  return triesOf(after) > triesOf(before) && doing !== 'watch' ? `an effect is tried again by ${doing}` : undefined;
}

/** Whether a reconciler has begun to try an effect, or failed. */
export function isTry(before: Job, after: Job): boolean {
  return triesOf(after) > triesOf(before);
}

/** Whether the try of an effect has failed. */
export function isFailedTry(before: Job, after: Job): boolean {
  return failuresOf(after) > failuresOf(before);
}

function triesOf({ effects = [] }: Job): number {
  return effects.reduce((sum, { tries = 0 }) => sum + tries, 0);
}

function failuresOf({ effects = [] }: Job): number {
  return effects.reduce((sum, { failures = 0 }) => sum + failures, 0);
}
