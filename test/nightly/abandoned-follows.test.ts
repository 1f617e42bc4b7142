import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LIMITS } from '../../lib/contract/limits.ts';
import { createJob, untilEnded } from '../api/job-client.ts';
import { type EventStream, follow, textOf } from '../api/output/event-stream.ts';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';

/** Concurrent functions of a new AWS account. */
const CONCURRENCY = 10;

let service: OwnService;
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_LAMBDA_CONCURRENCY: String(CONCURRENCY) } });
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
});

/** A job that prints a line and then waits for its gate. */
async function waitingJob(): Promise<{ id: string; open: () => Promise<void> }> {
  const gate = join(service.home, 'gate');
  const prompt = `echo on; while [ ! -e ${gate} ]; do sleep 0.1; done; echo off`;
  const id = await createJob(service, { prompt, profile: 'shell' });
  await waitFor(async () => (await service.api('GET', `/jobs/${id}/logs`)).json.stdout === 'on\n');
  return { id, open: async () => await writeFile(gate, '') };
}

/** Brings a followed log's first event. */
async function firstEvent({ response, events }: EventStream): Promise<string> {
  expect(response.status).toBe(200);
  const { value } = await events.next();
  return value?.data.text;
}

it('ten abandoned follows leave the API answering, and followers without a slot poll', async () => {
  const { id, open } = await waitingJob();
  const follows = await Promise.all(Array.from({ length: CONCURRENCY }, async () => await follow(service, id)));
  expect(await Promise.all(follows.map(firstEvent))).toEqual(follows.map(() => 'on\n'));
  // Those without a slot end; the others stream until their clients have gone, and longer.
  const ended: EventStream[] = [];
  for (const stream of follows)
    stream.events.next().then(
      () => ended.push(stream),
      () => undefined,
    );
  const spare = CONCURRENCY - LIMITS.follow.streams.default;
  await waitFor(() => ended.length === spare, { timeoutMs: 30_000 });
  for (const stream of follows) stream.close();

  const answers = await Promise.all(
    Array.from({ length: spare }, async () => await service.api('GET', `/jobs/${id}/status`)),
  );
  expect(answers.map(({ status, json }) => [status, json.status])).toEqual(answers.map(() => [200, 'RUNNING']));
  // The functions of the abandoned streams still run.
  const polled = await follow(service, id, '', { 'last-event-id': '3,0' });
  expect((await polled.response.text()).endsWith(`retry: ${LIMITS.follow.pollSeconds * 1000}\n\n`)).toBe(true);
  await open();
  await waitFor(async () => (await service.api('GET', `/jobs/${id}/status`)).json.status === 'SUCCEEDED');
  const rest = await follow(service, id, '', { 'last-event-id': '3,0' });
  expect(textOf(await Array.fromAsync(rest.events))).toBe('off\n');
});

it('ten clients that do not read what they follow leave the API answering soon', async () => {
  const id = await createJob(service, { prompt: 'head -c 30000000 /dev/zero | tr "\\0" x', profile: 'shell' });
  await untilEnded(service, id);
  const stalled = await Promise.all(Array.from({ length: CONCURRENCY }, async () => await openUnread(id)));
  expect(stalled.map(({ statusCode }) => statusCode)).toEqual(stalled.map(() => 200));
  await waitFor(async () => (await service.api('GET', `/jobs/${id}/status`)).status === 200, { timeoutMs: 40_000 });
  for (const response of stalled) response.destroy();
});

/** Follows a log and reads nothing of it. */
async function openUnread(id: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${service.token}`, accept: 'text/event-stream' };
  const following = get(`${service.baseUrl}/api/v1/jobs/${id}/logs?follow=1`, { agent: false, headers });
  const [response] = await once(following, 'response');
  response.on('error', () => undefined);
  return response;
}
