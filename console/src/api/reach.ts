/** No answer came at all. Browsers say why in words of their own, such as "Failed to fetch", and never to scripts. */
class UnreachableError extends Error {
  override readonly name = 'UnreachableError';

  constructor(options?: ErrorOptions) {
    super('The service does not answer. Check that it is running and that this computer is online.', options);
  }
}

/**
 * `fetch`, with words for people when no answer comes.
 * @throws UnreachableError, or the reason of the request's own signal
 */
export async function reach(request: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(request, init);
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new UnreachableError({ cause });
  }
}
