import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { signedInBrowser } from '../../local-run/browser.ts';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { createJob, untilEnded } from '../job-client.ts';
import { allEvents, type EventStream, follow, type ServerSentEvent, textOf } from './event-stream.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

/** A job that prints `before`, waits for its gate, prints `after`. */
async function gatedJob(name: string, { before, after }: { before: string; after: string }) {
  const gate = join(service.home, `gate-${name}`);
  const prompt = `${before}; while [ ! -e ${gate} ]; do sleep 0.05; done; ${after}`;
  return {
    id: await createJob(service, { prompt, profile: 'shell' }),
    open: async () => await writeFile(gate, ''),
  };
}

async function until(
  stream: EventStream,
  enough: (events: readonly ServerSentEvent[]) => boolean,
): Promise<ServerSentEvent[]> {
  const seen: ServerSentEvent[] = [];
  while (!enough(seen)) {
    const { value, done } = await stream.events.next();
    if (done) break;
    seen.push(value);
  }
  return seen;
}

async function stdoutOf(id: string): Promise<string> {
  return (await service.api('GET', `/jobs/${id}/logs?stream=stdout&full=1`)).json.stdout;
}

describe('a followed log', () => {
  it('sends the output while the job runs, and ends with the state of the attempt', async () => {
    const { id, open } = await gatedJob('live', { before: 'echo first', after: 'echo second; exit 3' });
    const stream = await follow(service, id, '&stream=stdout');
    const sent = ['content-type', 'cache-control', 'x-accel-buffering'].map((name) =>
      stream.response.headers.get(name),
    );
    expect(sent).toEqual(['text/event-stream', 'no-store, no-transform', 'no']);
    const early = await until(stream, (events) => textOf(events) === 'first\n');
    expect((await service.api('GET', `/jobs/${id}/status`)).json.status).toBe('RUNNING');
    expect(early.at(-1)).toEqual({
      name: 'message',
      id: '6',
      data: { attempt: 1, stream: 'stdout', text: 'first\n', offset: 0, next_offset: 6 },
    });
    await open();
    const late = await allEvents(stream);
    expect(textOf(late)).toBe('second\n');
    expect(late.at(-1)).toMatchObject({
      name: 'end',
      data: { attempt: 1, status: 'FAILED', state_reason: { code: 'exited', retryable: false } },
    });
  });

  it('resumes after the last event that was received, with nothing lost or repeated', async () => {
    const line = 'for n in $(seq 1 150); do echo "line $n of the log"; sleep 0.01; done';
    const { id, open } = await gatedJob('resume', { before: line, after: line });
    const first = await follow(service, id, '&stream=stdout');
    const before = await until(first, (events) => textOf(events).length > 1_000);
    first.close();
    const lastEventId = before.at(-1)?.id ?? '';
    const second = await follow(service, id, '&stream=stdout&offset=3', { 'last-event-id': lastEventId });
    await open();
    const after = await allEvents(second);
    expect(textOf([...before, ...after])).toBe(await stdoutOf(id));
    const outputs = [...before, ...after].filter(({ name }) => name === 'message');
    for (const [at, { data }] of outputs.entries())
      expect(data.offset).toBe(at === 0 ? 0 : outputs[at - 1]?.data.next_offset);
  });

  it('ends before the attempt, for want of a stream or of time, with an event that no EventSource passes on', async () => {
    const { id, open } = await gatedJob('continue', { before: 'echo first', after: 'true' });
    const streams = await Promise.all(
      Array.from({ length: LIMITS.follow.streams.default }, async () => await follow(service, id, '&stream=stdout')),
    );
    for (const stream of streams) await until(stream, (events) => textOf(events) === 'first\n');
    const { response } = await follow(service, id, '&stream=stdout');
    // If it has come before one of the others took its place, its time ends, after comments.
    expect(await response.text()).toMatch(
      /^retry: 0\n\nid: 6\ndata: .*\n\n(?::\n\n)*event: continue\n\n(?:retry: 2000\n\n)?$/,
    );
    await open();
    // The others end with the attempt, or before it: an event without data is not seen here.
    for (const stream of streams)
      expect((await allEvents(stream)).every(({ name }) => name === 'end' || name === 'message')).toBe(true);
  });

  it('sends both streams with one id for both', async () => {
    const { id, open } = await gatedJob('both', { before: 'echo out; echo err >&2', after: 'echo more >&2' });
    const first = await follow(service, id);
    const before = await until(first, (events) => textOf(events) !== '' && textOf(events, 'stderr') !== '');
    first.close();
    expect(before.at(-1)?.id).toBe('4,4');
    await open();
    const after = await allEvents(await follow(service, id, '', { 'last-event-id': '4,4' }));
    expect([textOf(after), textOf(after, 'stderr')]).toEqual(['', 'more\n']);
    expect(after[0]?.id).toBe('4,9');
  });

  it('never splits a character, even one written in two parts', async () => {
    const { id, open } = await gatedJob('split', {
      before: "printf 'a\\xe2\\x82'",
      after: "printf '\\xac b\\xff\\xe2'",
    });
    const stream = await follow(service, id, '&stream=stdout');
    const early = await until(stream, (events) => events.length === 1);
    expect(early[0]).toMatchObject({ id: '1', data: { text: 'a', next_offset: 1 } });
    await open();
    const events = [...early, ...(await allEvents(stream))];
    expect(textOf(events)).toBe('a\u20ac b\uFFFD\uFFFD');
    expect(textOf(events)).toBe(await stdoutOf(id));
  });

  it('of a job that has ended is sent completely and ends', async () => {
    const prompt = "yes 'a line with \u20ac and \u{1F600} in it' | head -c 3000000; printf '\\ntail'";
    const id = await createJob(service, { prompt, profile: 'shell' });
    await untilEnded(service, id);
    const events = await allEvents(await follow(service, id, '&stream=stdout'));
    expect(textOf(events)).toBe(await stdoutOf(id));
    expect(events.at(-1)).toMatchObject({ name: 'end', data: { status: 'SUCCEEDED' } });
    const rest = await allEvents(await follow(service, id, '&stream=stdout&offset=3000001'));
    expect(textOf(rest)).toBe('tail');
    expect(await allEvents(await follow(service, id, '', { 'last-event-id': '3000005,0' }))).toHaveLength(1);
  });

  it('of a waiting job begins with the job, or ends if it is cancelled', async () => {
    const { id, open } = await gatedJob('draft', { before: 'true', after: 'echo ran' });
    await open();
    expect(textOf(await allEvents(await follow(service, id)))).toBe('ran\n');
    const draft = await createJob(service, { prompt: 'echo never', profile: 'shell', draft: true });
    const stream = await follow(service, draft);
    await service.api('POST', `/jobs/${draft}/cancel`);
    expect(await allEvents(stream)).toMatchObject([{ name: 'end', data: { attempt: 0, status: 'CANCELLED' } }]);
  });

  it('ends with its attempt, and the next attempt has another stream', async () => {
    const mark = join(service.home, 'second-time');
    const prompt = `[ -e ${mark} ] && echo again && exit 0; touch ${mark}; echo once; exit 1`;
    const id = await createJob(service, { prompt, profile: 'shell', retries: 1 });
    const first = await allEvents(await follow(service, id));
    expect(textOf(first)).toBe('once\n');
    // The next one may have begun, or ended, before the end of this one was checked.
    expect(first.at(-1)).toMatchObject({
      data: { attempt: 1, status: expect.stringMatching(/^(QUEUED|RUNNING|SUCCEEDED)$/) },
    });
    const second = await allEvents(await follow(service, id, '&attempt=2'));
    expect(second.at(-1)).toMatchObject({ id: '2:6,0', data: { attempt: 2, status: 'SUCCEEDED' } });
    // An id of the first attempt is not taken for one of the newest.
    const resumed = await allEvents(await follow(service, id, '', { 'last-event-id': '2,0' }));
    expect(textOf(resumed)).toBe('ce\n');
    expect(textOf(await allEvents(await follow(service, id, '', { 'last-event-id': '2:3,0' })))).toBe('in\n');
  });

  it('ends when its token is revoked', async () => {
    const { id, open } = await gatedJob('revoked', { before: 'echo on', after: 'true' });
    const admin = await signedInBrowser(service, 'admin');
    const made = (await admin.api('POST', '/tokens', { name: 'follower', scopes: ['logs'] })).json;
    const stream = await follow(service, id, '', { authorization: `Bearer ${made.token}` });
    await until(stream, (events) => textOf(events) === 'on\n');
    expect((await admin.api('POST', `/tokens/${made.id}/revoke`)).status).toBe(200);
    expect(await allEvents(stream)).toMatchObject([{ name: 'error', data: { error: 'unauthorized' } }]);
    expect((await service.api('GET', `/jobs/${id}/status`)).json.status).toBe('RUNNING');
    await open();
  });
});

describe('a log is not followed', () => {
  it('without a request for an event stream', async () => {
    const id = await createJob(service, { prompt: 'echo hi', profile: 'shell' });
    for (const accept of ['*/*', 'application/json', 'text/event-stream;q=0']) {
      const { status, json } = await service.api('GET', `/jobs/${id}/logs?follow=1`, undefined, { accept });
      expect(status).toBe(400);
      expect(json.error).toContain('Accept: text/event-stream');
    }
    const plain = await service.api('GET', `/jobs/${id}/logs`, undefined, { accept: 'text/event-stream' });
    expect(plain.headers.get('content-type')).toContain('application/json');
    expect(plain.json).toMatchObject({ id, stream: 'all' });
  });

  it.each([
    ['&offset=3', {}, 'stream=stdout'],
    ['', { 'last-event-id': '12' }, 'such as 12,34'],
    ['&attempt=1', { 'last-event-id': '2:1,2' }, 'attempt 2'],
  ])('from an invalid position: %s %o', async (query, headers, why) => {
    const id = await createJob(service, { prompt: 'true', profile: 'shell', draft: true });
    const refused = await follow(service, id, query, headers);
    expect(refused.response.status).toBe(400);
    expect(await refused.response.text()).toContain(why);
  });

  it('of an unknown job', async () => {
    expect((await follow(service, 'job_00000000000000000000000001')).response.status).toBe(404);
  });
});
