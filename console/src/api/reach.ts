/** No response arrived. Browsers report only a generic message such as "Failed to fetch", never the cause. */
class UnreachableError extends Error {
  override readonly name = 'UnreachableError';

  constructor(options?: ErrorOptions) {
    super('The service is not responding. Check that it is running and that this computer is online.', options);
  }
}

/**
 * `fetch` with a readable error if no response arrives.
 * @throws UnreachableError, or the abort reason of the request's signal
 */
export async function reach(request: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    return await fetch(request, init);
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new UnreachableError({ cause });
  }
}
