import { describe, expect, test } from 'vitest';
import { failureOf } from '../../../../lib/vendors/codex/codex-failure.ts';
import { resetTime } from '../../../../lib/vendors/output/reset-time.ts';
import { verdictOf } from '../../../../lib/vendors/output/vendor-failure.ts';

/** What follows from a message of either CLI, with the status that claude names beside it. */
const MESSAGES: Readonly<Record<string, readonly (string | readonly [string, number])[]>> = {
  usage_limit: [
    "You've hit your monthly spend limit.",
    'You’ve hit your weekly limit · resets Dec 9 at 1am (Europe/Berlin)',
    '5-hour limit reached ∙ resets 3pm',
    'Claude AI usage limit reached|1795182231',
    'Weekly limit reached. Upgrade, or wait.',
    'Session limit reached ∙ resets 11pm',
    "You've reached your Opus limit",
    "You're out of usage credits. Run /usage-credits to keep using Opus",
    "You're out of extra usage · resets 3pm",
    'Credit balance is too low',
    ['API Error: 400 You have reached your specified API usage limits.', 400],
    'You’ve hit your usage limit. Try again later.',
    'stream disconnected before completion: The usage limit has been reached',
    'Your workspace is out of credits. Add credits to continue.',
    'You hit your spend cap.',
    'Quota exceeded. Check your plan and billing details.',
    ['You exceeded your current quota, please check your plan and billing details', 429],
  ],
  account_required: [
    'Not logged in · Please run /login',
    ['Invalid API key · Fix external API key', 401],
    ['Failed to authenticate: OAuth token revoked. Please log in again or contact your administrator.', 403],
    'unexpected status 401 Unauthorized: Missing bearer or basic authentication in header, url: https://x/v1/responses',
    'Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again.',
    'Missing environment variable: `PROMPTQ_VENDOR_API_KEY`.',
  ],
  vendor_overloaded: [
    ['API Error: Request rejected (429) · slow down', 429],
    ['API Error: 529 Overloaded. This is a server-side issue, usually temporary', 529],
    ['API Error: 503 upstream connect error', 503],
    'API Error: 502 <html>Bad Gateway</html>',
    'API Error: Connection refused — a firewall or proxy may be blocking it (ECONNREFUSED)',
    'API Error: Unable to connect to API (ECONNRESET)',
    'API Error: Request timed out.',
    'exceeded retry limit, last status: 429 Too Many Requests',
    'unexpected status 503 Service Unavailable: no, url: http://127.0.0.1:4010/v1/responses',
    'unexpected status 504 Gateway Timeout',
    'Selected model is at capacity. Please try a different model.',
    'We’re currently experiencing high demand.',
    'stream disconnected before completion: idle timeout waiting for SSE',
    'stream disconnected before completion: error sending request for url (http://x/v1/responses)',
    'Rate limit reached for gpt-6 in organization org-1 on tokens per min. Please try again in 20s.',
  ],
  conversation: [
    ['Prompt is too long', 400],
    'Prompt is too long',
    '{"error":{"message":"image exceeds the allowed size","type":"invalid_request_error"}}',
    'unexpected status 400 Bad Request: image exceeds the allowed size',
    'unexpected status 413 Payload Too Large',
    "You've reached your context limit.",
    "Codex ran out of room in the model's context window. Start a new thread.",
    ['API Error: 400 messages.4: `tool_use` ids were found without `tool_result` blocks immediately after', 400],
    ['API Error: 413 {"type":"error","error":{"type":"request_too_large"}}', 413],
    'API Error: Claude Code is unable to respond to this request, which appears to violate our Usage Policy',
  ],
  request: [
    ["There's an issue with the selected model (x). It may not exist or you may not have access to it.", 404],
    ['Failed to authenticate. API Error: 403 forbidden', 403],
    ['API Error: 402 The budget is spent.', 402],
    'unexpected status 404 Not Found: no such thing, url: http://x',
    '{"detail":"The \'gpt-1\' model is not supported when using Codex with a ChatGPT account."}',
    'budget reached',
  ],
  nothing: [
    ['API Error: 500 Internal server error', 500],
    'unexpected status 409 Conflict',
    'unexpected status 500 Internal Server Error: oops',
    'We’re currently experiencing high demand, which may cause temporary errors.',
    'the turn ended: interrupted',
    `${'The report about quotas. '.repeat(40)} You've hit your weekly limit`,
  ],
};

describe.each(Object.entries(MESSAGES))('%s', (expected, messages) => {
  test.each(messages.map((one) => (typeof one === 'string' ? ([one, undefined] as const) : one)))(
    'follows from "%s" (%s)',
    (message, status) => {
      const { park, refused } = verdictOf({ message, status });
      expect(park?.reason ?? refused ?? 'nothing').toBe(expected);
      if (status === undefined) expect(failureOf({ message })).toMatchObject(verdictOf({ message }));
    },
  );
});

test.each([
  ['usageLimitExceeded', 'usage_limit'],
  ['serverOverloaded', 'vendor_overloaded'],
  ['rateLimitExceeded', 'vendor_overloaded'],
  [{ responseTooManyFailedAttempts: { httpStatusCode: 503 } }, 'vendor_overloaded'],
  [{ responseTooManyFailedAttempts: { httpStatusCode: 500 } }, 'nothing'],
  [{ httpConnectionFailed: { httpStatusCode: 404 } }, 'request'],
  ['unauthorized', 'account_required'],
  ['contextWindowExceeded', 'conversation'],
  ['badRequest', 'conversation'],
  ['modelNotFound', 'request'],
  ['other', 'nothing'],
  [{ aLaterKind: {} }, 'nothing'],
])("codex's own sign %j counts whatever its words are", (codexErrorInfo, expected) => {
  const { park, refused } = failureOf({ message: 'words of a later version', codexErrorInfo });
  expect(park?.reason ?? refused ?? 'nothing').toBe(expected);
});

/** 20 November 2026, 10:52:30 in this process's zone. */
const NOW = new Date(2026, 10, 20, 10, 52, 30);
const local = (...parts: [number, number, number, number, number]) => new Date(...parts).toISOString();

test.each([
  ['Try again at 11:54 AM.', local(2026, 10, 20, 11, 55)],
  ['Try again at 12:00 PM.', local(2026, 10, 20, 12, 1)],
  ['or try again at Jan 1st, 2027 12:05 AM.', local(2027, 0, 1, 0, 6)],
  ['5-hour limit reached ∙ resets 3pm', local(2026, 10, 20, 15, 0)],
  ['5-hour limit reached ∙ resets 3am', local(2026, 10, 21, 3, 0)],
  ['resets at 15:00', local(2026, 10, 20, 15, 1)],
  ['resets Dec 9 at 1am (Europe/Berlin)', '2026-12-09T00:00:00.000Z'],
  ['resets Dec 9, 1:30am (America/New_York)', '2026-12-09T06:31:00.000Z'],
  ['resets Jan 3 at 1am (UTC)', '2027-01-03T01:00:00.000Z'],
  // 2:30 does not exist there on that day, and the hour that comes twice is the first.
  ['resets Mar 28 at 2:30am (Europe/Berlin)', '2027-03-28T00:31:00.000Z'],
  ['resets Oct 31 at 2am (Europe/Berlin)', '2027-10-31T00:00:00.000Z'],
  ['resets Tuesday at 9am (UTC)', '2026-11-24T09:00:00.000Z'],
  ['limit reached|1795182231', '2026-11-20T13:43:51.000Z'],
  ['You will regain access on 2026-12-01 at 00:00 UTC.', '2026-12-01T00:00:00.000Z'],
  ['try again in 2 days 3 hours', new Date(NOW.getTime() + 51 * 3_600_000).toISOString()],
  ['Please try again in 1h30m.', new Date(NOW.getTime() + 90 * 60_000).toISOString()],
  ['Please try again in 20s.', new Date(NOW.getTime() + 20_000).toISOString()],
  ['You will regain access on 2026-13-41 at 00:00 UTC.', undefined],
  ['Try again later.', undefined],
  ['resets Dec 9', undefined],
])('"%s" says when', (text, expected) => {
  expect(resetTime(text, NOW)).toBe(expected);
});
