import { expect, test } from 'vitest';
import { parkedBy } from '../../../../lib/vendors/codex/codex-park.ts';

const NOW = new Date(2026, 10, 20, 10, 52, 30);

function until(message: string): Date {
  return new Date(parkedBy(message, NOW)?.until ?? '');
}

test('a reset time of today is read in local time and never too early', () => {
  expect(until('You’ve hit your usage limit. Try again at 11:54 AM.')).toEqual(new Date(2026, 10, 20, 11, 55));
  expect(until('You’ve hit your usage limit. Try again at 12:00 PM.')).toEqual(new Date(2026, 10, 20, 12, 1));
  expect(until('You’ve hit your usage limit. Try again at 11:59 PM.')).toEqual(new Date(2026, 10, 21, 0, 0));
});

test('a reset time of another day is read with its date', () => {
  const plus =
    'You’ve hit your usage limit. Upgrade to Pro (https://chatgpt.com/explore/pro) or try again at Jan 1st, 2027 12:05 AM.';
  expect(until(plus)).toEqual(new Date(2027, 0, 1, 0, 6));
});

test('a limit without a time parks without one', () => {
  expect(parkedBy('You’ve hit your usage limit. Try again later.')).toEqual({ reason: 'usage_limit' });
  expect(parkedBy('stream disconnected before completion: The usage limit has been reached')).toEqual({
    reason: 'usage_limit',
  });
  expect(parkedBy('Quota exceeded. Check your plan and billing details.')).toEqual({ reason: 'usage_limit' });
});

test.for([
  'Not logged in',
  'unexpected status 401 Unauthorized: Missing bearer or basic authentication in header, url: https://x/v1/responses',
  'Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again.',
  'Your authentication session could not be refreshed automatically. Please log out and sign in again.',
  'Missing environment variable: `PROMPTQ_VENDOR_API_KEY`.',
])('"%s" needs an account', (message) => {
  expect(parkedBy(message)).toEqual({ reason: 'account_required' });
});

test.for([
  'exceeded retry limit, last status: 429 Too Many Requests',
  'unexpected status 403 Forbidden: no, url: http://127.0.0.1:4010/v1/responses',
  'We’re currently experiencing high demand, which may cause temporary errors.',
  'stream disconnected before completion: idle timeout waiting for SSE',
])('"%s" is a failure', (message) => {
  expect(parkedBy(message)).toBeUndefined();
});
