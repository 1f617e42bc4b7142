import { EventFeed } from '../../events/event-feed.ts';
import { FollowSlots } from '../../jobs/output/reading/follow-slots.ts';
import type { Core } from './core.ts';

/** What reads and streams the feed of events. */
export function createFollowableEvents({ registry, env, clock }: Core) {
  const slots = new FollowSlots({ ...registry, count: env.PROMPTQ_FOLLOW_STREAMS });
  return { feed: new EventFeed(registry), slots, clock };
}
