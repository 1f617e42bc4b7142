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
  /** Whether the request certainly had no effect. */
  readonly hadNoEffect: boolean;
  /** Whether the connection, or a gateway, ended the request before the service had answered. */
  readonly wasCut: boolean;

  constructor(
    message: string,
    options: { cause?: unknown; retryAfter?: number | undefined; hadNoEffect?: boolean; wasCut?: boolean } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryAfter = options.retryAfter;
    this.hadNoEffect = options.hadNoEffect ?? false;
    this.wasCut = options.wasCut ?? false;
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

/** The codes of a service that no request reached. */
const NOT_SENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** Whether an error of the network shows that no connection was made. */
export function wasNotSent(error: unknown): boolean {
  const { cause } = error as { cause?: unknown };
  return cause instanceof Error && 'code' in cause && NOT_SENT.has(cause.code);
}

/** An error of the network in one line, with the code that Node reports for it. */
export function networkFault(error: unknown): string {
  const { cause } = error as { cause?: unknown };
  const inner = cause instanceof Error ? cause : error;
  if (!(inner instanceof Error)) return String(inner);
  const code = 'code' in inner && typeof inner.code === 'string' ? inner.code : undefined;
  return inner.message || code || inner.name;
}
