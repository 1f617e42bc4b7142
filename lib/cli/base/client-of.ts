import { Promptq } from '../../client/promptq.ts';
import type { Context } from './context.ts';
import { type Env, findCredentials } from './credentials.ts';
import { usageError } from './errors.ts';

/** Seconds for which failing requests are retried. */
const RETRY_SECONDS = 60;

interface ClientLimits {
  /** Of the time for retries. */
  readonly atMostSeconds?: number;
  /** Ends all requests. */
  readonly signal?: AbortSignal | undefined;
}

/** A client with the credentials of this user. */
export async function clientOf(
  { env, terminal }: Context,
  { atMostSeconds = Infinity, signal }: ClientLimits = {},
): Promise<Promptq> {
  const { url, token } = await findCredentials(env);
  return new Promptq({
    baseUrl: url,
    token,
    retrySeconds: Math.min(retrySeconds(env), atMostSeconds),
    onRetry: (reason) => void terminal.note(`${reason}; trying again`),
    signal,
  });
}

export function retrySeconds({ PROMPTQ_RETRY_SECONDS: given }: Env): number {
  if (given === undefined || given === '') return RETRY_SECONDS;
  if (/^\d{1,6}(\.\d+)?$/.test(given)) return Number(given);
  throw usageError(`PROMPTQ_RETRY_SECONDS: received ${given}; expected a number of seconds`);
}
