import { expect, test } from 'vitest';
import { readPort, readRunSettings } from '../../../lib/local/run-settings.ts';

test.each(['many', '-1', '65536', '8787x'])('rejects PORT=%s with what is allowed', (given) => {
  expect(() => readPort(given)).toThrow(
    `PORT is "${given}"; it must be a number from 1 to 65535, or 0 for any free port`,
  );
});

test.each([
  [undefined, 8787],
  ['', 8787],
  ['0', 0],
  ['65535', 65_535],
])('takes PORT=%s for %i', (given, port) => {
  expect(readPort(given)).toBe(port);
});

test.each([
  ['PROMPTQ_SIGN_IN_PORT', '0', 'a whole number from 1 to 65535'],
  ['PROMPTQ_SIGN_IN_PORT', '87.5', 'a whole number from 1 to 65535'],
  ['PROMPTQ_WATCH_SECONDS', 'often', 'a number from 0.1 to 3600'],
  ['PROMPTQ_SWEEP_SECONDS', ' ', 'a number from 0.1 to 86400'],
])('rejects %s=%j with what is allowed', (variable, given, allowed) => {
  expect(() => readRunSettings({ [variable]: given })).toThrow(
    `${variable} is ${JSON.stringify(given)}; it must be ${allowed}`,
  );
});
