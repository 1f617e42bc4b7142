import type { AgentFacts } from './agent-output.ts';
import { resetTime } from './reset-time.ts';

/** What a CLI reports of a failure. Its own signs count before its words, which change with each version. */
export interface VendorFailure {
  readonly message: string;
  /** HTTP status of the vendor's last response; absent: there was none, or the words name it. */
  readonly status?: number | undefined;
  /** The CLI's own code for the failure. */
  readonly sign?: Sign | undefined;
  /** The reported end of a usage limit, RFC 3339. */
  readonly until?: string | undefined;
}

type Sign = 'usage_limit' | 'account' | 'overloaded' | 'conversation' | 'request';

/** What follows from a failure: the job waits, or can't be helped by another attempt; neither: it may be. */
type Verdict = Pick<AgentFacts, 'park' | 'refused'>;

/** Words are looked for here only: a sentence of a CLI is short, and an agent can write a long one. */
const LOOKED_AT = 600;

/**
 * What follows from a failure of either CLI. Overload, limits and a missing account are waited for without using a
 * retry, a request that can't succeed is final, and after a refused conversation a new one begins. A 500 may be the
 * request's fault: it uses the job's retries.
 * @param now for times without a date
 */
export function verdictOf(failure: VendorFailure, now = new Date()): Verdict {
  const text = failure.message.slice(0, LOOKED_AT).replace(/[\u2018\u2019\u02bc]/g, "'");
  const status = failure.status ?? statusIn(text);
  const until = () => failure.until ?? resetTime(text, now);
  switch (failure.sign ?? signOf(text, status)) {
    case 'usage_limit':
      return { park: { reason: 'usage_limit', ...defined(until()) } };
    case 'account':
      return { park: { reason: 'account_required' } };
    case 'overloaded':
      return { park: { reason: 'vendor_overloaded', ...defined(until()) } };
    case 'conversation':
      return { refused: 'conversation' };
    case 'request':
      return { refused: 'request' };
    case undefined:
      return {};
  }
}

/** Whether a sentence of a CLI reports a usage limit. */
export function isUsageLimit(message: string): boolean {
  return verdictOf({ message }).park?.reason === 'usage_limit';
}

function defined(until: string | undefined): { readonly until?: string } {
  return until === undefined ? {} : { until };
}

function signOf(text: string, status: number | undefined): Sign | undefined {
  if (USAGE_LIMIT.some((pattern) => pattern.test(text))) return 'usage_limit';
  if (status === 401 || ACCOUNT.test(text)) return 'account';
  if (status === undefined || status >= 500) {
    if (OVERLOADED_STATUSES.has(status ?? 0)) return 'overloaded';
    if (MODEL.test(text)) return 'request';
    if (CONVERSATION.test(text)) return 'conversation';
    return OVERLOADED.test(text) ? 'overloaded' : undefined;
  }
  if (OVERLOADED_STATUSES.has(status)) return 'overloaded';
  if (status === CONFLICT) return undefined;
  return CONVERSATION_STATUSES.has(status) && !MODEL.test(text) ? 'conversation' : 'request';
}

/** `unexpected status 400 Bad Request`, `last status: 429`, `API Error: 529 Overloaded`, `Request rejected (429)`. */
function statusIn(text: string): number | undefined {
  const said = /(?:\bstatus(?: code)?:? |\bAPI Error:? |\brejected \()(?<status>[45]\d\d)\b/i.exec(text)?.groups
    ?.status;
  return said === undefined ? undefined : Number(said);
}

/** "Not now": too many requests, or the vendor or something before it does not answer. */
const OVERLOADED_STATUSES: ReadonlySet<number> = new Set([
  ...[408, 425, 429, 502, 503, 504, 529],
  // A proxy's words for these.
  ...[520, 521, 522, 523, 524],
]);

/** Another request was in the way: the same one may succeed. */
const CONFLICT = 409;

/** What the conversation holds is refused: its size, its shape, its content. */
const CONVERSATION_STATUSES: ReadonlySet<number> = new Set([400, 413, 422]);

/** Not the limit of a context, an answer or a rate, which no pause lifts or a short one does. */
const OTHER_LIMITS = '(?!context|token|rate|request|size|length|turn|output)';
const USAGE_LIMIT: readonly RegExp[] = [
  new RegExp(`\\b(?:hit|reached|exceeded|used up) your (?:${OTHER_LIMITS}[^\\n]){0,40}?\\b(?:limits?|cap)\\b`, 'i'),
  /\b(?:usage|session|weekly|monthly|daily|hourly|\d+[- ]?h(?:our)?|opus|sonnet|haiku|plan|spend(?:ing)?) limits?\b[^\n]{0,30}\b(?:reached|hit|exceeded)\b/i,
  /\b(?:hit|reached|exceeded) (?:the|its) (?:usage|session|weekly|monthly|daily|plan|spend(?:ing)?) (?:limits?|cap)\b/i,
  /\blimit (?:reached|hit|exceeded)\b[^\n]{0,30}\bresets?\b/i,
  /\bout of (?:[\w-]{1,20} ){0,2}(?:usage|credits?)\b|\bcredit balance is too low\b|\bquota exceeded\b/i,
  /\bexceeded your current quota\b|\binsufficient_quota\b|\busage_limit_reached\b/i,
];

const ACCOUNT =
  /\bnot logged in\b|\bplease run \/login\b|\b(?:log|sign) ?in again\b|^Invalid (?:API key|auth token)\b|^Missing environment variable/i;

const MODEL =
  /\bmodel\b[^\n]{0,80}\b(?:not found|not supported|not exist|not available|no access|may not have access|invalid|unknown)|\bissue with the selected model\b|\bbudget reached\b/i;

const CONVERSATION =
  /\b(?:prompt|input|request|conversation|message)s? (?:is |are )?too (?:long|large)\b|\bcontext (?:window|length|limit)\b|\bcontext_length_exceeded\b|\bran out of room\b|\btoo many (?:images|tokens)\b|\bimages? [^\n]{0,40}\bexceeds?\b|\bwithout (?:a )?(?:corresponding )?`?tool_(?:result|use)\b|\bno tool (?:output|call) found\b|\binvalid_(?:prompt|request_error)\b|\b(?:content|usage) policy\b|\bcontent filter/i;

/** `high demand, which may cause temporary errors`: codex's words for a 500. */
const OVERLOADED =
  /\boverloaded\b|\bat capacity\b|\bhigh demand\b(?!, which may cause temporary errors)|\bservice unavailable\b|\bserver is busy\b|\bslow down\b|\brate limit|\btoo many requests\b|\bconnection (?:refused|reset|closed|error|timed out)\b|\bunable to connect\b|\b(?:request|connection|operation) timed out\b|\bstream disconnected\b|\bidle timeout\b|\bnetwork error\b|\berror sending request\b|\bE(?:CONN(?:REFUSED|RESET|ABORTED)|TIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE|AI_AGAIN)\b|\bENOTFOUND\b|\bsocket hang up\b|\bfetch failed\b/i;
