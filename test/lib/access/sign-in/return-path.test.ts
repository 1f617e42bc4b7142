import { expect, it } from 'vitest';
import { returnPath } from '../../../../lib/access/sign-in/return-path.ts';

const OWN = 'https://promptq.example.com';

it.each([
  ['/', '/'],
  ['/jobs?q=ä&x=.#y', '/jobs?q=%C3%A4&x=.#y'],
  ['/a/../jobs/./b', '/jobs/b'],
  ['/authors', '/authors'],
  ['/apis/x', '/apis/x'],
  ['/x/auth/y', '/x/auth/y'],
])('a browser may return to %s, as %s', (given, path) => {
  expect(returnPath(given, OWN)).toBe(path);
});

it.each([
  ['nothing', ''],
  ['a path that is relative', 'jobs'],
  ['a whole URL of this service', `${OWN}/jobs`],
  ['another host', '//evil.example/'],
  ['another host, once dots are resolved', '/.//evil.example'],
  ['another host behind a tab', '/\t/evil.example'],
  ['another host behind a backslash', '/\\evil.example'],
  ['a line end', '/jobs\r\nx'],
  ['no URL at all', '//['],
  ['the sign-in', '/auth'],
  ['a page of the sign-in', '/auth/callback'],
  ['the sign-in, once dots are resolved', '/x/../auth/sign-in'],
  ['the API', '/api'],
  ['a route of the API', '/api/v1/jobs'],
])('no browser returns to %s', (_, given) => {
  expect(returnPath(given, OWN)).toBeUndefined();
});

it('a path to return to has at most 2,000 characters', () => {
  const path = `/${'x'.repeat(1_999)}`;
  expect([returnPath(path, OWN), returnPath(`${path}x`, OWN)]).toEqual([path, undefined]);
});
