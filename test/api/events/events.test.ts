import { beforeAll, describe, expect, it } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { type EventStream, openEvents } from '../output/event-stream.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

interface Event {
  readonly id: string;
  readonly type: string;
  readonly job_id: string;
  readonly sequence: number;
}

async function feed(query: string): Promise<Event[]> {
  const items: Event[] = [];
  for (const search = new URLSearchParams(`limit=2&${query}`); ; ) {
    const { status, json, text } = await service.api('GET', `/events?${search}`);
    expect(status, text).toBe(200);
    items.push(...json.items);
    if (!json.has_more) return items;
    search.set('after', json.next_cursor);
  }
}

async function runJob(more: Record<string, unknown>): Promise<string> {
  const { json, text, status } = await service.api('POST', '/jobs', {
    profile: 'shell',
    prompt: 'echo hello',
    ...more,
  });
  expect(status, text).toBe(201);
  return json.id;
}

const endOf = async (id: string, type: string) =>
  await waitFor(async () => {
    const events = await feed(`job=${id}`);
    return events.some((event) => event.type === type) && events;
  });

const stream = async (query: string, headers = {}): Promise<EventStream> =>
  await openEvents(service, `/events?${query}`, headers);

describe('the feed of events', () => {
  it('tells what happens to a job, once, in order, numbered without a gap, the same each time it is read', async () => {
    const id = await runJob({ project: 'feed', draft: true });
    await service.api('POST', `/jobs/${id}/submit`);
    const events = await endOf(id, 'job.succeeded');
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
    expect(events.map(({ type }) => type)).toEqual(['job.created', 'job.queued', 'attempt.started', 'job.succeeded']);
    expect(events[0]).toMatchObject({ status: 'DRAFT', attempt: 0, project: 'feed', template: null, automation: null });
    expect(events[3]).toMatchObject({ status: 'SUCCEEDED', reason: 'exited', attempt: 1, question: null });
    expect(await feed(`job=${id}`)).toEqual(events);
    expect(await feed(`job=${id}&since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
    const [, second] = events;
    expect(await feed(`job=${id}&after=${second?.id}`)).toEqual(events.slice(2));
  });

  it('is filtered by project, job and type', async () => {
    const [one, other] = [
      await runJob({ project: 'feed-one' }),
      await runJob({ project: 'feed-other', prompt: 'exit 3' }),
    ];
    await Promise.all([endOf(one, 'job.succeeded'), endOf(other, 'job.failed')]);
    const ofProject = await feed('project=feed-other');
    expect(new Set(ofProject.map(({ job_id }) => job_id))).toEqual(new Set([other]));
    const ends = await feed('type=job.succeeded,job.failed');
    expect(
      ends
        .filter(({ job_id }) => [one, other].includes(job_id))
        .map(({ type }) => type)
        .toSorted(),
    ).toEqual(['job.failed', 'job.succeeded']);
    const { status, json } = await service.api('GET', '/events?type=job.exploded&after=x&limit=0');
    expect(status).toBe(400);
    expect(json.details.faults).toHaveLength(3);
    const early = await service.api('GET', '/events?after=999999999999-1');
    expect(early.status).toBe(400);
    expect(early.json.error).toContain('999999999999-1');
  });

  it('answers a waiting request when something happens', async () => {
    const { json: end } = await service.api('GET', '/events?after=end&project=feed-waits');
    const waiting = service.api('GET', `/events?after=${end.next_cursor}&project=feed-waits&wait=25`);
    const id = await runJob({ project: 'feed-waits', draft: true });
    const { json } = await waiting;
    expect(json.items).toEqual([expect.objectContaining({ type: 'job.created', job_id: id, sequence: 1 })]);
  });

  it('is streamed, and continues behind the last event that came when the connection is cut', async () => {
    const { json: end } = await service.api('GET', '/events?after=end');
    const query = `project=feed-stream&after=${end.next_cursor}`;
    const first = await stream(query);
    expect(first.response.headers.get('content-type')).toContain('text/event-stream');
    const id = await runJob({ project: 'feed-stream' });
    const { value } = await first.events.next();
    first.close();
    expect(value).toMatchObject({ name: 'message', data: { type: 'job.created', job_id: id } });
    const rest = await stream(query, { 'last-event-id': value?.id });
    const seen = [value?.data];
    for await (const { data } of rest.events) {
      seen.push(data);
      if (data.type === 'job.succeeded') break;
    }
    rest.close();
    expect(seen).toEqual(await feed(query));
  });
});
