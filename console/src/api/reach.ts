/** Longer than CloudFront waits for a response, which is longer than a function may take. */
const RESPONSE_TIMEOUT_MS = 65_000;

/** No response arrived. Browsers report only a generic message such as "Failed to fetch", never the cause. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  /** Whether the time for a response has passed. */
  readonly isTimeout: boolean;

  constructor({ cause, isTimeout }: { cause: unknown; isTimeout: boolean }) {
    super('The service is not responding. Check that it is running and that this computer is online.', { cause });
    this.isTimeout = isTimeout;
  }
}

/**
 * `fetch` with a readable error if no response arrives. The response to a read has to begin in time: a connection that
 * was lost without notice stays open for many minutes.
 * @throws UnreachableError, or the abort reason of the request's signal
 */
export async function reach(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const silence = new AbortController();
  const isRead = request.method === 'GET';
  const timer = isRead ? setTimeout(() => silence.abort(), RESPONSE_TIMEOUT_MS) : undefined;
  try {
    return await fetch(request, { signal: AbortSignal.any([request.signal, silence.signal]) });
  } catch (cause) {
    const isTimeout = silence.signal.aborted;
    if (!isTimeout && cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new UnreachableError({ cause, isTimeout });
  } finally {
    clearTimeout(timer);
  }
}
