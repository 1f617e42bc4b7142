import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';

let service: ServiceUnderTest;
let url: string;
const calls: { readonly path: string; readonly id: unknown; readonly sequence: number }[] = [];
const to = (path: string) => calls.filter((call) => call.path === path);

/** What each receiver does with a call, by its path. */
const RECEIVERS: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  '/hangs': () => undefined,
  '/moves': (_request, response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  '/refuses': (_request, response) => response.writeHead(503, { 'retry-after': '600' }).end(),
  // It has the call, and the answer does not arrive.
  '/loses': (request, response) =>
    to('/loses').length === 1 ? request.socket.destroy() : response.writeHead(204).end(),
  '/steady': (_request, response) => response.writeHead(204).end(),
};

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const { data } = JSON.parse(Buffer.concat(parts).toString());
    const path = request.url ?? '';
    calls.push({ path, id: request.headers['webhook-id'], sequence: data.event.sequence });
    RECEIVERS[path]?.(request, response);
  });
});

beforeAll(async () => {
  service = await sharedService();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  for (const path of Object.keys(RECEIVERS)) await service.api('DELETE', `/subscriptions/receivers-${path.slice(1)}`);
  server.closeAllConnections();
  server.close();
});

const nameOf = (path: string) => `receivers-${path.slice(1)}`;
const deliveries = async (path: string) =>
  (await service.api('GET', `/subscriptions/${nameOf(path)}/deliveries`)).json.items;

it('receivers that hang, redirect, refuse or lose the answer are tried again, and hold up no other', async () => {
  for (const path of Object.keys(RECEIVERS)) {
    const body = {
      name: nameOf(path),
      target: { webhook: { url: `${url}${path}` } },
      events: ['job.created', 'attempt.started', 'job.succeeded'],
      filter: { project: 'receivers' },
    };
    expect((await service.api('POST', '/subscriptions', body)).status).toBe(201);
  }
  await service.api('POST', '/jobs', { profile: 'shell', prompt: 'true', project: 'receivers' });
  // In order, while the first call to another is still open.
  await waitFor(() => to('/steady').length === 3);
  expect(to('/steady').map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
  expect(to('/hangs').length).toBeLessThanOrEqual(2);
  expect(new Set(to('/hangs').map(({ sequence }) => sequence))).toEqual(new Set([1]));

  await waitFor(() => to('/loses').length === 4);
  expect(to('/loses').map(({ sequence }) => sequence)).toEqual([1, 1, 2, 3]);
  expect(to('/loses')[0]?.id).toBe(to('/loses')[1]?.id);
  const lost = await waitFor(async () => {
    const found = await deliveries('/loses');
    return found.length === 3 && found;
  });
  expect(lost.map(({ state, attempts }: { state: string; attempts: number }) => [state, attempts])).toEqual([
    ['delivered', 1],
    ['delivered', 1],
    ['delivered', 2],
  ]);

  for (const [path, status] of [
    ['/moves', 302],
    ['/refuses', 503],
  ] as const) {
    // What follows waits behind the first.
    const [first, ...others] = await waitFor(async () => {
      const found = await deliveries(path);
      return found.length > 0 && found;
    });
    expect(others).toEqual([]);
    expect(first).toMatchObject({ state: 'pending', status, error: `Answered with status ${status}.` });
    expect(Date.parse(first.next_attempt_at) - Date.parse(first.last_attempt_at)).toBeGreaterThan(
      path === '/refuses' ? 590_000 : 40_000,
    );
    const { json } = await service.api('GET', `/subscriptions/${nameOf(path)}`);
    expect(json).toMatchObject({ state: 'failing', state_reason: first.error, dropped: 0 });
    expect(json.failing_since).not.toBeNull();
  }
  expect(to('/elsewhere')).toEqual([]);
});
