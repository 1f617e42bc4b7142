import { isDeepStrictEqual } from 'node:util';
import type { EventView } from '../../../lib/contract/schemas/event.ts';
import { EventFeed } from '../../../lib/events/event-feed.ts';
import type { Registry } from '../../../lib/platform/registry.ts';
import { ENV } from '../model/environment.ts';
import type { ModelDeployment } from '../worlds/deployment.ts';

/**
 * What is wrong with the feed once the stream is counted: each record of the stream is in it once, those of a job are in
 * order and numbered without a gap, the first job that waits for an account has told of it, and a second reading in pages
 * of another length gives the same.
 */
export async function faultsOfFeed(deployment: ModelDeployment, table: Registry['table']): Promise<string[]> {
  const clock = { now: () => deployment.time.wall };
  const feed = new EventFeed({ table, registryTable: ENV.REGISTRY_TABLE, clock });
  const events = await readAll(feed, 100);
  const faults = isDeepStrictEqual(await readAll(feed, 7), events) ? [] : ['the feed read twice differs'];
  const written = deployment.stream.shards.flat().flatMap(({ event }) => event ?? []);
  const recorded = events.filter(({ type }) => !isOfAccount(type));
  if (written.length !== recorded.length)
    faults.push(`the feed has ${recorded.length} events, and the stream ${written.length}`);
  const byJob = Object.groupBy(recorded, ({ job_id, sequence }) => (sequence === null ? '' : (job_id ?? '')));
  for (const [job, ofJob = []] of Object.entries(byJob)) {
    const wanted = written.filter(({ job_id, sequence }) => (sequence === null ? '' : job_id) === job);
    const found = ofJob.map(({ id: _, subject, ...event }) => ({ ...event, ...(subject !== null && { subject }) }));
    if (job === '') faults.push(...faultsOfRows(found, wanted));
    else if (!isDeepStrictEqual(found, wanted)) faults.push(`the feed has other events of ${deployment.nameOf(job)}`);
    if (job !== '' && ofJob.some(({ sequence }, at) => sequence !== at + 1))
      faults.push(`events of ${deployment.nameOf(job)} are ${ofJob.map(({ sequence }) => sequence).join(' ')}`);
  }
  return [...faults, ...faultsOfAccounts(events)];
}

/** Each row is one event, in any order: those of several shards have none. */
function faultsOfRows(found: readonly object[], wanted: readonly object[]): string[] {
  const sorted = (of: readonly object[]) =>
    of.map((one) => JSON.stringify(one, Object.keys(one).toSorted())).toSorted();
  return isDeepStrictEqual(sorted(found), sorted(wanted)) ? [] : ['the feed has other events of rows'];
}

const WAITS = { account_required: 'account.required', usage_limit: 'account.limit' } as const;

function isOfAccount(type: string): boolean {
  return (Object.values(WAITS) as string[]).includes(type);
}

/** It stands behind the event of the job that waits, and where a job waits it is not absent. */
function faultsOfAccounts(events: readonly EventView[]): string[] {
  return Object.entries(WAITS).flatMap(([reason, type]) => {
    // A job of a later version waits for the account by a reason that this one does not know.
    const tells = (event?: EventView) =>
      event?.reason === reason || (type === 'account.limit' && event?.job_id === 'later-limit');
    const told = events.flatMap((event, at) => (event.type === type ? [events[at - 1]] : []));
    if (!told.every(tells)) return [`${type} stands behind another event`];
    const waits = events.filter(tells).length;
    return waits > 0 === told.length > 0 ? [] : [`${waits} events have the reason ${reason}, and none is ${type}`];
  });
}

export async function readAll(feed: EventFeed, limit: number): Promise<EventView[]> {
  const events: EventView[] = [];
  for (let place = await feed.since(0); ; ) {
    const found = await feed.read(place, limit, () => true);
    events.push(...found.events);
    if (!found.more) return events;
    place = found.place;
  }
}
