import * as z from 'zod';
import type { AgentFacts } from '../output/agent-output.ts';
import { type VendorFailure, verdictOf } from '../output/vendor-failure.ts';

/** The error of a turn of `codex app-server`; that of `codex exec` has no more than the message. */
export const turnErrorSchema = z.object({
  message: z.string(),
  // Later versions have more kinds.
  codexErrorInfo: z
    .union([z.string(), z.record(z.string(), z.unknown())])
    .nullish()
    .catch(undefined),
});
export type TurnError = z.output<typeof turnErrorSchema>;

/** What codex's error at the end of its turn tells. @param now for times without a date */
export function failureOf(error: TurnError, now?: Date): Pick<AgentFacts, 'error' | 'park' | 'refused'> {
  return { error: readable(error.message), ...verdictOf({ ...signsOf(error), message: error.message }, now) };
}

/** Codex's own codes, of 0.169.0. Others say no more than the message. */
const SIGNS: Readonly<Record<string, Pick<VendorFailure, 'sign' | 'status'>>> = {
  usageLimitExceeded: { sign: 'usage_limit' },
  unauthorized: { sign: 'account' },
  rateLimitExceeded: { status: 429 },
  serverOverloaded: { sign: 'overloaded' },
  flexUnavailable: { sign: 'overloaded' },
  policyCapacityUnavailable: { sign: 'overloaded' },
  contextWindowExceeded: { sign: 'conversation' },
  cyberPolicy: { sign: 'conversation' },
  misalignmentPolicyViolation: { sign: 'conversation' },
  badRequest: { status: 400 },
  modelNotFound: { sign: 'request' },
  sessionBudgetExceeded: { sign: 'request' },
};

const httpSchema = z.record(z.string(), z.object({ httpStatusCode: z.number() }));

function signsOf({ codexErrorInfo: info }: TurnError): Pick<VendorFailure, 'sign' | 'status'> {
  if (typeof info === 'string') return SIGNS[info] ?? {};
  const [http] = Object.values(httpSchema.safeParse(info).data ?? {});
  return http === undefined ? {} : { status: http.httpStatusCode };
}

/** The bodies of errors from the vendor's servers. */
const vendorErrorSchema = z.union([
  z.object({ error: z.object({ message: z.string().min(1) }) }).transform(({ error }) => error.message),
  z.object({ detail: z.string().min(1) }).transform(({ detail }) => detail),
]);

/** codex passes some vendor errors on as raw JSON (a 400's, for example). Returns the sentence in it. */
function readable(message: string): string {
  const start = message.indexOf('{');
  const end = message.lastIndexOf('}') + 1;
  try {
    const sentence = vendorErrorSchema.parse(JSON.parse(message.slice(start, end)));
    return `${message.slice(0, start)}${sentence}${message.slice(end)}`;
  } catch {
    return message;
  }
}
