import type { NewEvent } from '../contract/schemas/event.ts';
import type { AccountWaits } from './account-waits.ts';
import type { Recorded } from './event-feed.ts';
import { eventOf } from './event-of.ts';

type EventJob = NonNullable<Parameters<typeof eventOf>[0] & Parameters<AccountWaits['eventOf']>[0]>;

/** A change of a job from the table's stream. */
interface Change {
  readonly sequence: string;
  readonly before: EventJob | undefined;
  readonly after: EventJob | undefined;
}

/**
 * The events of changes of jobs, in the order of their records: whether a job is the first that waits for its account
 * depends on it.
 */
export async function eventsIn(
  accountWaits: Pick<AccountWaits, 'eventOf'>,
  changes: readonly Change[],
): Promise<Recorded[]> {
  const found: Recorded[] = [];
  for (const { sequence, before, after } of changes) {
    const events: readonly (NewEvent | undefined)[] = [
      eventOf(before, after),
      await accountWaits.eventOf(before, after),
    ];
    found.push(...events.flatMap((event) => (event === undefined ? [] : [{ sequence, event }])));
  }
  return found;
}
