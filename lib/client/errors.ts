/** The service refused a request. `message` is the API's `error`, with its `details` in words if there are any. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  /** The body of the response: `{error, details?, request_id}`. */
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    super(body.error);
    this.status = status;
    this.body = body;
  }
}

/** The service could not be reached, or kept failing, until the time for retries was over. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** A failure that another try may not meet: a lost connection, 429, or 5xx. */
export class TransientError extends Error {
  override readonly name = 'TransientError';
  /** Seconds that the service asks to wait. */
  readonly retryAfter: number | undefined;

  constructor(message: string, options: { cause?: unknown; retryAfter?: number | undefined } = {}) {
    super(message, { cause: options.cause });
    this.retryAfter = options.retryAfter;
  }
}

export interface ErrorBody {
  readonly error: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly request_id?: string;
}

/** Whether a parsed body is an error of the API, and not that of a server in between. */
export function isErrorBody(body: unknown): body is ErrorBody {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string';
}

/** An error of the network in one line, with the code that Node reports for it. */
export function networkFault(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const inner = cause instanceof Error ? cause : error;
  if (!(inner instanceof Error)) return String(inner);
  const code = 'code' in inner && typeof inner.code === 'string' ? inner.code : undefined;
  return inner.message || code || inner.name;
}
