import { expect, it } from 'vitest';
import { checkTarget } from '../../../lib/bindings/target-url.ts';

const NO_TLS = 'is not https';
const CREDENTIALS = 'has a user name or password, which every reader would see';
const NOT_PUBLIC = 'is not an address of the public internet';

it.each<[url: string, onInternet: string | undefined, onThisMachine: string | undefined]>([
  ['https://example.com/hook', undefined, undefined],
  ['https://localhost/', undefined, undefined],
  ['http://localhost:8080/', NO_TLS, undefined],
  ['http://127.0.0.1:8080/', NO_TLS, undefined],
  ['http://[::1]:8080/', NO_TLS, undefined],
  ['https://[::1]/', NOT_PUBLIC, undefined],
  ['http://1.1.1.1/', NO_TLS, undefined],
  ['http://10.0.0.1/', NO_TLS, NO_TLS],
  ['https://10.0.0.1/', NOT_PUBLIC, NOT_PUBLIC],
  ['http://example.com/', NO_TLS, NO_TLS],
  ['ftp://localhost/', NO_TLS, NO_TLS],
  ['https://user@example.com/', CREDENTIALS, CREDENTIALS],
  ['https://:password@example.com/', CREDENTIALS, CREDENTIALS],
  ['https://user:password@10.0.0.1/', CREDENTIALS, CREDENTIALS],
  ['example.com/hook', 'is no URL; an https address is allowed', 'is no URL; an https address is allowed'],
])('the fault of %s depends on whether calls may reach this machine', (url, onInternet, onThisMachine) => {
  expect([checkTarget(url, { loopback: false }), checkTarget(url, { loopback: true })]).toEqual([
    onInternet,
    onThisMachine,
  ]);
});
