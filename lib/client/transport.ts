import { isErrorBody, networkFault, TransientError, wasNotSent } from './errors.ts';
import { type RetryPolicy, repeat } from './repeat.ts';

/**
 * Milliseconds until an answer begins, and between its parts: longer than API Gateway's 29 s and the 25 s of a held
 * status. All of it may take any time. Streams are not limited.
 */
const SILENCE_MS = 60_000;
/** Statuses that are retried. */
const isTransient = (status: number) => status === 429 || status === 408 || status >= 500;
/** Statuses of a gateway that has waited too long for the service, or lost it. */
const CUT: ReadonlySet<number> = new Set([408, 502, 504]);

/** Types of responses that are read while they arrive. The caller sees their interruptions. */
const STREAMED = ['text/event-stream', 'application/octet-stream'];

/**
 * A `fetch` for openapi-fetch. Reads responses whole, so that one that is cut off is retried too. Retries everything but
 * POST: only the caller of a POST can tell whether a lost one took effect. Follows redirects without credentials.
 */
export function retryingFetch(policy: RetryPolicy): (request: Request) => Promise<Response> {
  return async (request) =>
    request.method === 'POST'
      ? await tryOnce(request, policy.signal)
      : await repeat(async () => await tryOnce(request.clone(), policy.signal), policy, request.signal);
}

/** @throws TransientError; the reason of the aborted signal, which may be that of the request */
export async function tryOnce(request: Request, over?: AbortSignal): Promise<Response> {
  const isStreamed = STREAMED.includes(request.headers.get('accept') ?? '');
  const silent = new AbortController();
  const timer = setTimeout(
    () => silent.abort(new Error(`nothing arrived for ${SILENCE_MS / 1000} seconds`)),
    SILENCE_MS,
  );
  const ended = over === undefined ? request.signal : AbortSignal.any([request.signal, over]);
  const signal = isStreamed ? ended : AbortSignal.any([ended, silent.signal]);
  try {
    const answer = await fetch(request, { signal, redirect: 'manual' });
    const target = answer.status === 303 ? answer.headers.get('location') : null;
    // The address holds its own, short-lived credentials.
    const response = target === null ? answer : await fetch(new URL(target, request.url), { signal });
    if (isStreamed && response.ok) return response;
    const body = await whole(response, () => timer.refresh());
    if (target !== null && !response.ok) throw refusedByStorage(response, new TextDecoder().decode(body));
    if (isTransient(response.status)) throw transient(response, new TextDecoder().decode(body));
    const { status, headers } = response;
    // A response without a body can't be given an empty one.
    return new Response(body.byteLength === 0 ? null : body, { status, headers });
  } catch (error) {
    ended.throwIfAborted();
    if (error instanceof TransientError) throw error;
    throw new TransientError(`${new URL(request.url).origin} did not answer: ${networkFault(error)}`, {
      cause: error,
      hadNoEffect: wasNotSent(error),
      wasCut: !wasNotSent(error),
    });
  } finally {
    clearTimeout(timer);
  }
}

async function whole({ body }: Response, onPart: () => void): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  onPart();
  for await (const part of body ?? []) {
    onPart();
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function transient(response: Response, body: string): TransientError {
  const word = wordOf(body);
  const after = response.headers.get('retry-after') ?? '';
  return new TransientError(`the service answered ${response.status}${word === undefined ? '' : ` ${word}`}`, {
    retryAfter: /^\d{1,4}$/.test(after) ? Number(after) : undefined,
    hadNoEffect: response.status === 429,
    wasCut: CUT.has(response.status),
  });
}

/** Another try gets another address: this one may have expired, or the object may have moved meanwhile. */
function refusedByStorage({ status }: Response, body: string): TransientError {
  const code = /<Code>(\w+)<\/Code>/.exec(body)?.[1];
  const answer = code === undefined ? status : `${status} ${code}`;
  return new TransientError(`the storage of the file answered ${answer}`, { hadNoEffect: true });
}

function wordOf(body: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return isErrorBody(parsed) ? parsed.error : undefined;
  } catch {
    return undefined;
  }
}
