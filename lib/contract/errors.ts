/**
 * All errors of the API. `word` is the fixed `error` of the body; without it, the thrower gives a sentence that states what
 * was received, what is allowed and where.
 */
export const ERRORS = {
  invalid_request: { status: 400, word: undefined, retryable: false },
  invalid_state: { status: 400, word: undefined, retryable: false },
  invalid_action: { status: 400, word: 'invalid action', retryable: false },
  unauthorized: { status: 401, word: 'unauthorized', retryable: false },
  forbidden: { status: 403, word: 'forbidden', retryable: false },
  not_found: { status: 404, word: 'not_found', retryable: false },
  job_not_found: { status: 404, word: 'job_not_found', retryable: false },
  output_deleted: { status: 404, word: 'output_deleted', retryable: false },
  method_not_allowed: { status: 405, word: 'method_not_allowed', retryable: false },
  request_timeout: { status: 408, word: 'the request took too long to arrive', retryable: true },
  body_too_large: { status: 413, word: 'Invalid request size', retryable: false },
  too_many_requests: { status: 429, word: 'too_many_requests', retryable: true },
  headers_too_large: { status: 431, word: 'the headers of the request are too large', retryable: false },
  internal_error: { status: 500, word: 'internal_error', retryable: false },
  function_failed: { status: 502, word: 'internal_error', retryable: false },
  unavailable: { status: 503, word: 'unavailable', retryable: true },
  timed_out: { status: 504, word: 'timed_out', retryable: true },
} as const satisfies Record<string, { status: number; word: string | undefined; retryable: boolean }>;

/** The WWW-Authenticate header of a 401. */
export const CHALLENGE = 'Bearer realm="promptq"';

export type ErrorCode = keyof typeof ERRORS;

/** Codes without a fixed word. */
type SentenceCode = { [C in ErrorCode]: (typeof ERRORS)[C]['word'] extends undefined ? C : never }[ErrorCode];

/** The `details` of the error body. */
type ErrorDetails = Record<string, unknown>;

/** An error that is shown to the client. Any other error becomes `internal_error`. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  /** Absent if there are none. */
  readonly details: ErrorDetails | undefined;
  /** Seconds to wait before retrying. */
  readonly retryAfter: number | undefined;

  private constructor(code: ErrorCode, message: string, details?: ErrorDetails, retryAfter?: number) {
    super(message);
    this.code = code;
    this.details = details !== undefined && Object.keys(details).length > 0 ? details : undefined;
    this.retryAfter = retryAfter;
  }

  /** An error with the fixed word of the table. */
  static of(code: Exclude<ErrorCode, SentenceCode>, details?: ErrorDetails, retryAfter?: number): ApiError {
    return new ApiError(code, ERRORS[code].word, details, retryAfter);
  }

  /** An error with a sentence: what was received, what is allowed, where. */
  static because(code: SentenceCode, sentence: string, details?: ErrorDetails): ApiError {
    return new ApiError(code, sentence, details);
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

/** A rejected part of the input. */
export interface FieldProblem {
  /** Paths such as `profiles[0].sandbox`. Several, if they contradict each other; none, if the whole input is rejected. */
  readonly fields: readonly string[];
  /** What was received and what is allowed. */
  readonly problem: string;
}

/**
 * Input that is well formed but rejected by the domain, which knows fields and not requests. The API answers
 * `invalid_request` and adds whether a field is part of the query, a header or the body.
 */
export class InvalidFieldError extends Error {
  override readonly name = 'InvalidFieldError';
  readonly problems: readonly FieldProblem[];

  constructor(problems: readonly FieldProblem[]) {
    super(problems.map(fieldSentence).join('; '));
    this.problems = problems;
  }

  static of(fields: string | readonly string[], problem: string): InvalidFieldError {
    return new InvalidFieldError([{ fields: [fields].flat(), problem }]);
  }
}

/** A problem in words, such as `cwd: must be relative`. */
export function fieldSentence({ fields, problem }: FieldProblem): string {
  return fields.length === 0 ? problem : `${fields.join(' and ')}: ${problem}`;
}
