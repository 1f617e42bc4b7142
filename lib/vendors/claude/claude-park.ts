import type { Park } from '../output/agent-output.ts';

/** claude's report of its failure. */
export interface ClaudeFailure {
  readonly message: string;
  /** HTTP status of the vendor's last response; absent: there was none. */
  readonly status?: number | undefined;
  /** The subscription's limit that blocked the run, with its end in Unix seconds. */
  readonly limit?: { readonly resetsAt?: number | undefined } | undefined;
}

/**
 * Whether claude's failure means that the job should wait rather than fail. Texts are those of 2.1.328, from real runs
 * and its binary. A plain rate limit (429 without a subscription's limit) is an ordinary failure.
 */
export function parkedBy({ message, status, limit }: ClaudeFailure): Park | undefined {
  if ((status === 429 && limit !== undefined) || USAGE_LIMIT.test(message)) {
    const until = limit?.resetsAt === undefined ? regainTime(message) : timeAt(limit.resetsAt * 1_000);
    return { reason: 'usage_limit', ...(until !== undefined && { until }) };
  }
  return status === 401 || ACCOUNT.test(message) ? { reason: 'account_required' } : undefined;
}

const USAGE_LIMIT =
  /^You've (hit|reached) your .*limit|\bout of usage\b|^Credit balance is too low|reached your specified API usage limits/i;

const ACCOUNT = /^Not logged in\b|^Invalid (API key|auth token)\b|Please run \/login|log in again|sign in again/i;

/** The end of an API key's limit: `You will regain access on 2026-12-01 at 00:00 UTC.` */
const REGAIN = /regain access on (?<day>\d{4}-\d\d-\d\d) at (?<time>\d\d:\d\d) UTC/;

function regainTime(message: string): string | undefined {
  const said = REGAIN.exec(message)?.groups;
  return timeAt(said === undefined ? Number.NaN : Date.parse(`${said.day}T${said.time}:00Z`));
}

/** undefined for what is no time. */
function timeAt(milliseconds: number): string | undefined {
  const time = new Date(milliseconds);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
