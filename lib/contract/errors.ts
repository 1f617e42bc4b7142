/**
 * The one table of what can go wrong for a client. `word` is the fixed text of the body's `error`; without it the
 * thrower gives a sentence that says what was received, what is allowed and where.
 */
export const ERRORS = {
  invalid_request: { status: 400, word: undefined, retryable: false },
  invalid_state: { status: 400, word: undefined, retryable: false },
  invalid_action: { status: 400, word: 'invalid action', retryable: false },
  unauthorized: { status: 401, word: 'unauthorized', retryable: false },
  forbidden: { status: 403, word: 'forbidden', retryable: false },
  not_found: { status: 404, word: 'not_found', retryable: false },
  job_not_found: { status: 404, word: 'job_not_found', retryable: false },
  request_timeout: { status: 408, word: 'the request took too long to arrive', retryable: true },
  body_too_large: { status: 413, word: 'Invalid request size', retryable: false },
  too_many_requests: { status: 429, word: 'too_many_requests', retryable: true },
  headers_too_large: { status: 431, word: 'the headers of the request are too large', retryable: false },
  internal_error: { status: 500, word: 'internal_error', retryable: false },
  function_failed: { status: 502, word: 'internal_error', retryable: false },
  unavailable: { status: 503, word: 'unavailable', retryable: true },
  timed_out: { status: 504, word: 'timed_out', retryable: true },
} as const satisfies Record<string, { status: number; word: string | undefined; retryable: boolean }>;

/** What a 401 asks for, in the header WWW-Authenticate. */
export const CHALLENGE = 'Bearer realm="promptq"';

export type ErrorCode = keyof typeof ERRORS;

/** Codes whose text the thrower has to give. */
type SentenceCode = { [C in ErrorCode]: (typeof ERRORS)[C]['word'] extends undefined ? C : never }[ErrorCode];

/** Extra members of the error body, for people and programs that want to know more. */
export type ErrorDetails = Record<string, unknown>;

/** A refusal that a client may see. Anything else that is thrown becomes `internal_error`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  /** Absent where there is nothing to add. */
  readonly details: ErrorDetails | undefined;
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | undefined;

  private constructor(code: ErrorCode, message: string, details?: ErrorDetails, retryAfter?: number) {
    super(message);
    this.code = code;
    this.details = details !== undefined && Object.keys(details).length > 0 ? details : undefined;
    this.retryAfter = retryAfter;
  }

  /** A refusal with the fixed word of the table. */
  static of(code: Exclude<ErrorCode, SentenceCode>, details?: ErrorDetails, retryAfter?: number): ApiError {
    return new ApiError(code, ERRORS[code].word, details, retryAfter);
  }

  /** A refusal in a sentence: what was received, what is allowed, where. */
  static because(code: SentenceCode, sentence: string, details?: ErrorDetails): ApiError {
    return new ApiError(code, sentence, details);
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}
