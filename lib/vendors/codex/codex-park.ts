import type { Park } from '../output/agent-output.ts';

/**
 * Whether codex's final message means that the job should wait rather than fail. Texts are those of 0.169.0, from real
 * runs and its binary. A plain rate limit (`exceeded retry limit, last status: 429`) is an ordinary failure.
 */
export function parkedBy(message: string, now = new Date()): Park | undefined {
  if (USAGE_LIMIT.test(message)) {
    const until = resetTime(message, now);
    return { reason: 'usage_limit', ...(until !== undefined && { until }) };
  }
  return ACCOUNT.test(message) ? { reason: 'account_required' } : undefined;
}

const USAGE_LIMIT =
  /hit your usage limit|usage limit has been reached|workspace is out of credits|hit your spend cap|^Quota exceeded\./i;

const ACCOUNT = /\bnot logged in\b|unexpected status 401\b|sign in again|^Missing environment variable/i;

/** `try again at 5:07 PM.` on the same day, else `try again at Nov 25th, 2026 5:07 PM.`, in local time. */
const RESET =
  /try again at (?:(?<month>[A-Z][a-z]{2}) (?<day>\d{1,2})(?:st|nd|rd|th), (?<year>\d{4}) )?(?<hour>\d{1,2}):(?<minute>\d\d) (?<half>[AP])M/i;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

function resetTime(message: string, now: Date): string | undefined {
  const said = RESET.exec(message)?.groups;
  if (said === undefined) return undefined;
  const month = said.month === undefined ? now.getMonth() : MONTHS.indexOf(said.month.toLowerCase());
  const hour = (Number(said.hour) % 12) + (said.half?.toUpperCase() === 'P' ? 12 : 0);
  // codex cuts off the seconds, so the limit ends before the next minute begins.
  const minute = Number(said.minute) + 1;
  const day = Number(said.day ?? now.getDate());
  return new Date(Number(said.year ?? now.getFullYear()), month, day, hour, minute).toISOString();
}
