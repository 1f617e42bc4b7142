import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import {
  hasForeignHost,
  hasForeignOrigin,
  type ListenerNames,
} from '../../../../lib/local/run-access/foreign-callers.ts';

const asked = (host: string | undefined, localPort: number) =>
  ({ headers: { host }, socket: { localPort } }) as unknown as IncomingMessage;
const isForeign = (host: string | undefined, names?: ListenerNames, port = 8_080) =>
  hasForeignHost(asked(host, port), names);

test('a listener is named by loopback and its port, which is left out if it is that of HTTP, or by its own names', () => {
  expect(
    ['127.0.0.1:8080', '127.0.0.1', 'localhost:8080', 'evil.example:8080', undefined].map((host) => isForeign(host)),
  ).toEqual([false, true, true, true, true]);
  expect([isForeign('127.0.0.1', {}, 80), isForeign('127.0.0.1:80', {}, 80)]).toEqual([false, true]);
  const names = { hosts: ['own.localhost:8080'], localhost: true };
  expect(
    ['LOCALHOST:8080', '127.0.0.1:8080', 'own.localhost:8080', 'own.localhost'].map((host) => isForeign(host, names)),
  ).toEqual([false, false, false, true]);
});

test('a page of another origin is foreign, and a request without an origin is not', () => {
  const from = (origin?: string) =>
    hasForeignOrigin({ headers: { host: '127.0.0.1:1', origin } } as unknown as IncomingMessage);
  expect([from(), from('http://127.0.0.1:1'), from('https://127.0.0.1:1'), from('null')]).toEqual([
    false,
    false,
    true,
    true,
  ]);
});
