import { lookup as resolve } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { isReachable, type Reach } from '../../bindings/public-address.ts';
import { checkTarget } from '../../bindings/target-url.ts';
import { LIMITS } from '../../contract/limits.ts';

/** One call that reports an event, in the format of Standard Webhooks. */
interface SignedCall {
  readonly url: string;
  /** The same for every try, so that a receiver recognizes duplicates. */
  readonly id: string;
  readonly payload: string;
  /** Newest first. The call is signed with each. */
  readonly secrets: readonly string[];
  /** The time of this try. */
  readonly at: Date;
}

/** The result of a call: the response's status, or why there was none. */
export type CallResult =
  | { readonly status: number; readonly retryAfterSeconds: number | undefined }
  | { readonly failed: string; readonly retryAfterSeconds?: undefined };

/** Resolves a name to all its addresses. A parameter, so that a test can replace it. */
export type Resolve = (
  hostname: string,
  done: (error: Error | null, addresses: readonly { address: string; family: number }[]) => void,
) => void;

const resolveAll: Resolve = (hostname, done) =>
  resolve(hostname, { all: true, verbatim: true }, (error, addresses) => done(error, addresses));

/**
 * Makes one call. The name is resolved once, and every address is checked right at the connection, so that the name
 * can't lead to an unchecked one. Redirects are not followed, and the response's time and size are limited.
 * Never rejects.
 */
export async function makeSignedCall(
  call: SignedCall,
  { reach, resolve: resolveName = resolveAll }: { reach: Reach; resolve?: Resolve },
): Promise<CallResult> {
  const fault = checkTarget(call.url, reach);
  if (fault !== undefined) return { failed: `The address ${fault}.` };
  const { promise, resolve: settle } = Promise.withResolvers<CallResult>();
  try {
    const url = new URL(call.url);
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, {
      method: 'POST',
      agent: false,
      headers: headersOf(call),
      lookup: guarded(resolveName, reach),
      signal: AbortSignal.timeout(LIMITS.deployBindings.callSeconds * 1000),
    });
    request.on('response', (answer) => settle(readAnswer(answer)));
    request.on('error', (error) => settle({ failed: reasonOf(error) }));
    request.end(call.payload);
  } catch (error) {
    settle({ failed: reasonOf(error) });
  }
  return await promise;
}

/** The signature headers; one signature for each secret. */
function headersOf({ id, payload, secrets, at }: SignedCall): Record<string, string | number> {
  return {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(payload),
    'user-agent': 'promptq',
    'webhook-id': id,
    'webhook-timestamp': Math.floor(at.getTime() / 1000),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, payload)).join(' '),
  };
}

/** A lookup for a connection that succeeds only if every address may be reached. */
function guarded(resolveName: Resolve, reach: Reach): LookupFunction {
  return (hostname, options, callback) => {
    resolveName(hostname, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null) return callback(error, '', 0);
      if (first === undefined) return callback(new Error(`${hostname} has no address`), '', 0);
      const forbidden = addresses.find(({ address }) => !isReachable(address, reach));
      if (forbidden !== undefined) {
        const why = new Error(`${hostname} is at ${forbidden.address}, which is not of the public internet`);
        return callback(why, '', 0);
      }
      if (options.all === true) return callback(null, [...addresses]);
      callback(null, first.address, first.family);
    });
  };
}

/** Reads just enough of the response for the connection to end cleanly. */
async function readAnswer(answer: IncomingMessage): Promise<CallResult> {
  const status = answer.statusCode ?? 0;
  let bytes = 0;
  try {
    for await (const chunk of answer) {
      bytes += (chunk as Buffer).length;
      if (bytes > LIMITS.deployBindings.answerBytes) break;
    }
  } catch {
    // The status had arrived, so a later failure changes nothing.
  }
  return { status, retryAfterSeconds: secondsOf(answer.headers['retry-after']) };
}

function secondsOf(retryAfter = ''): number | undefined {
  if (/^\d{1,6}$/.test(retryAfter)) return Number(retryAfter);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / 1000));
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'The call failed.';
  if (error.name === 'AbortError') return `There was no answer within ${LIMITS.deployBindings.callSeconds} seconds.`;
  // After trying several addresses, Node reports only the error of each.
  const text = error.message || (error instanceof AggregateError ? error.errors.map(String).join('; ') : error.name);
  return `The call failed: ${text}`;
}
