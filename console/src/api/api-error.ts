import { ERROR_WORDS } from './error-words.ts';

/** An error response of the API. Its message is a sentence for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** Identifies the request in the logs. */
  readonly requestId: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  private constructor(message: string, status: number, requestId?: string, details: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.requestId = requestId;
    this.details = details;
  }

  static of(response: Response, body: unknown): ApiError {
    const { error, details, request_id } = (typeof body === 'object' && body !== null ? body : {}) as {
      error?: string;
      details?: Record<string, unknown>;
      request_id?: string;
    };
    return new ApiError(
      ERROR_WORDS[error ?? ''] ??
        error ??
        `The service returned ${`${response.status} ${response.statusText}`.trim()}.`,
      response.status,
      request_id ?? response.headers.get('x-request-id') ?? undefined,
      details,
    );
  }
}

/** The validation errors that a response lists, each with its location. */
export function validationErrorsOf(error: Error): string[] {
  const errors: unknown = error instanceof ApiError ? error.details.faults : undefined;
  return Array.isArray(errors) ? errors.map(String) : [error.message];
}
