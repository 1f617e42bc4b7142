import { isDeepStrictEqual } from 'node:util';
import type { EventView } from '../../../lib/contract/schemas/event.ts';
import { EventFeed } from '../../../lib/events/event-feed.ts';
import type { Registry } from '../../../lib/platform/registry.ts';
import { ENV } from '../model/environment.ts';
import type { ModelDeployment } from '../worlds/deployment.ts';

/**
 * What is wrong with the feed once the stream is counted: each record of the stream is in it once, those of a job are in
 * order and numbered without a gap, and a second reading in pages of another length gives the same.
 */
export async function faultsOfFeed(deployment: ModelDeployment, table: Registry['table']): Promise<string[]> {
  const clock = { now: () => deployment.time.wall };
  const feed = new EventFeed({ table, registryTable: ENV.REGISTRY_TABLE, clock });
  const events = await readAll(feed, 100);
  const faults = isDeepStrictEqual(await readAll(feed, 7), events) ? [] : ['the feed read twice differs'];
  const written = deployment.stream.shards.flat().flatMap(({ event }) => event ?? []);
  if (written.length !== events.length)
    faults.push(`the feed has ${events.length} events, and the stream ${written.length}`);
  const byJob = Object.groupBy(events, ({ job_id }) => job_id);
  for (const [job, ofJob = []] of Object.entries(byJob)) {
    const wanted = written.filter(({ job_id }) => job_id === job);
    const found = ofJob.map(({ id: _, ...event }) => event);
    if (!isDeepStrictEqual(found, wanted)) faults.push(`the feed has other events of ${deployment.nameOf(job)}`);
    if (ofJob.some(({ sequence }, at) => sequence !== at + 1))
      faults.push(`events of ${deployment.nameOf(job)} are ${ofJob.map(({ sequence }) => sequence).join(' ')}`);
  }
  return faults;
}

async function readAll(feed: EventFeed, limit: number): Promise<EventView[]> {
  const events: EventView[] = [];
  for (let place = await feed.since(0); ; ) {
    const found = await feed.read(place, limit, () => true);
    events.push(...found.events);
    if (!found.more) return events;
    place = found.place;
  }
}
