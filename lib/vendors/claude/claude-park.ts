import type { Park } from '../output/agent-output.ts';

/** What claude knows of its failure. */
export interface ClaudeFailure {
  readonly message: string;
  /** HTTP status of the vendor's last answer; absent: there was none. */
  readonly status?: number | undefined;
  /** The subscription's limit that stood against the run, with its end in Unix seconds. */
  readonly limit?: { readonly resetsAt?: number | undefined } | undefined;
}

/**
 * Whether claude's failure means that the job should wait rather than fail. Wordings are 2.1.328's own, from real runs and
 * its binary; a plain rate limit (429 without a subscription's limit) is a failure like any other.
 */
export function parkedBy({ message, status, limit }: ClaudeFailure): Park | undefined {
  if ((status === 429 && limit !== undefined) || USAGE_LIMIT.test(message)) {
    const until = limit?.resetsAt === undefined ? regainTime(message) : new Date(limit.resetsAt * 1_000).toISOString();
    return { reason: 'usage_limit', ...(until !== undefined && { until }) };
  }
  return status === 401 || ACCOUNT.test(message) ? { reason: 'account_required' } : undefined;
}

const USAGE_LIMIT =
  /^You've (hit|reached) your .*limit|\bout of usage\b|^Credit balance is too low|reached your specified API usage limits/i;

const ACCOUNT = /^Not logged in\b|^Invalid (API key|auth token)\b|Please run \/login|log in again|sign in again/i;

/** An API key's limit says when it ends as `You will regain access on 2026-12-01 at 00:00 UTC.` */
const REGAIN = /regain access on (?<day>\d{4}-\d\d-\d\d) at (?<time>\d\d:\d\d) UTC/;

function regainTime(message: string): string | undefined {
  const said = REGAIN.exec(message)?.groups;
  const time = said === undefined ? Number.NaN : Date.parse(`${said.day}T${said.time}:00Z`);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
