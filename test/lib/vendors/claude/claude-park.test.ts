import { expect, test } from 'vitest';
import { parkedBy } from '../../../../lib/vendors/claude/claude-park.ts';

test('the end of a limit is taken from the event, or else from the message', () => {
  const message = "You've hit your 5-hour limit · resets 1:43pm (UTC)";
  expect(parkedBy({ message, status: 429, limit: { resetsAt: 1_795_182_231 } })).toEqual({
    reason: 'usage_limit',
    until: '2026-11-20T13:43:51.000Z',
  });
  const regain =
    'API Error: 400 You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.';
  expect(parkedBy({ message: regain, status: 400 })).toEqual({
    reason: 'usage_limit',
    until: '2026-12-01T00:00:00.000Z',
  });
});

test('an end that is no time is unknown', () => {
  const message = "You've hit your 5-hour limit";
  expect(parkedBy({ message, status: 429, limit: { resetsAt: 1e13 } })).toEqual({ reason: 'usage_limit' });
});

test.for([
  "You've hit your monthly spend limit.",
  "You've reached your Opus limit",
  "You're out of usage credits. Run /usage-credits to keep using Opus",
  'Credit balance is too low',
  'API Error: 400 You have reached your specified API usage limits. You will regain access on 2026-13-41 at 00:00 UTC.',
])('"%s" is a limit with an unknown end', (message) => {
  expect(parkedBy({ message })).toEqual({ reason: 'usage_limit' });
});

test.for([
  { message: 'Not logged in · Please run /login' },
  { message: 'Invalid API key · Fix external API key', status: 401 },
  { message: 'Failed to authenticate. API Error: 401 OAuth token has expired.', status: 401 },
  {
    message: 'Failed to authenticate: OAuth token revoked. Please log in again or contact your administrator.',
    status: 403,
  },
])('"$message" needs an account', (failure) => {
  expect(parkedBy(failure)).toEqual({ reason: 'account_required' });
});

test.for([
  { message: 'API Error: Request rejected (429) · slow down', status: 429 },
  { message: 'Failed to authenticate. API Error: 403 forbidden', status: 403 },
  { message: 'API Error: 529 Overloaded. This is a server-side issue, usually temporary', status: 529 },
  { message: 'API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)' },
  { message: 'Prompt is too long' },
])('"$message" is a failure', (failure) => {
  expect(parkedBy(failure)).toBeUndefined();
});

test('a limit of the subscription blocks a run only if the vendor refused its request for that', () => {
  const limit = { resetsAt: 1_795_182_231 };
  const until = '2026-11-20T13:43:51.000Z';
  expect(parkedBy({ message: 'API Error', status: 429, limit })).toEqual({ reason: 'usage_limit', until });
  expect(parkedBy({ message: 'API Error', status: 429, limit: {} })).toEqual({ reason: 'usage_limit' });
  expect(parkedBy({ message: 'API Error', status: 500, limit })).toBeUndefined();
  expect(parkedBy({ message: 'API Error', limit })).toBeUndefined();
});
