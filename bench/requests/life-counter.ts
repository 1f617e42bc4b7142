import type { JobCounts } from '../../lib/counters/counts.ts';
import type { EventFeed } from '../../lib/events/event-feed.ts';
import { eventOf } from '../../lib/events/event-of.ts';
import type { Job } from '../../lib/jobs/lifecycle/job.ts';
import type { StatsStore } from '../../lib/stats/counting/stats-store.ts';

/** Counts lives of jobs as the table's stream tells them. */
export class LifeCounter {
  readonly #figures: StatsStore;
  readonly #counts: JobCounts;
  readonly #feed: EventFeed;
  #sequence = 0;

  constructor(stores: { readonly stats: StatsStore; readonly counts: JobCounts; readonly feed: EventFeed }) {
    this.#figures = stores.stats;
    this.#counts = stores.counts;
    this.#feed = stores.feed;
  }

  /** Each change in a separate batch, the most expensive case. @param states of one job, in their order; undefined: not there yet */
  async count(states: readonly (Job | undefined)[]): Promise<void> {
    for (const [at, after] of states.entries()) {
      if (at === 0) continue;
      this.#sequence += 1;
      const change = { sequence: String(this.#sequence), before: states[at - 1], after };
      await this.#figures.apply('shard', [change]);
      const event = eventOf(change.before, after);
      await this.#feed.append('shard', event === undefined ? [] : [{ sequence: change.sequence, event }]);
      await this.#counts.apply('shard', [{ ...change, before: change.before?.status, after: after?.status }]);
    }
  }
}
