import { Promptq } from '../../client/promptq.ts';
import type { Context } from './context.ts';
import { type Env, findCredentials } from './credentials.ts';
import { CommandError, usageError } from './errors.ts';
import { EXIT_OF_SIGNAL } from './exit-codes.ts';

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

/** The same. A signal ends its requests, so that the command removes what is not complete; another Ctrl-C ends it at once. */
export async function stoppableClient(context: Context): Promise<Promptq> {
  const stopping = new AbortController();
  const forget = context.onStop((by) => {
    forget();
    stopping.abort(new CommandError(EXIT_OF_SIGNAL[by], 'interrupted'));
  });
  return await clientOf(context, { signal: stopping.signal });
}

export function retrySeconds({ PROMPTQ_RETRY_SECONDS: given }: Env): number {
  if (given === undefined || given === '') return RETRY_SECONDS;
  if (/^\d{1,6}(\.\d+)?$/.test(given)) return Number(given);
  throw usageError(`PROMPTQ_RETRY_SECONDS: received ${given}; expected a number of seconds`);
}
