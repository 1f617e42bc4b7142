import type { ServerResponse } from 'node:http';
import type { RefusingStep } from './drills.ts';

/** An error in the vendor's shape. */
export interface Refusal {
  readonly status: number;
  readonly error: Readonly<{ message: string; type: string; code: string | null; [more: string]: unknown }>;
}

/** The error of a drill that answers with one. */
export function refusalOf(step: Exclude<RefusingStep, { drill: 'limit' }>): Refusal {
  switch (step.drill) {
    case 'not-logged-in':
      return NOT_LOGGED_IN;
    case 'usage-limit':
      return usageLimit(new Date(Date.now() + step.seconds * 1_000));
    case 'fail':
      return {
        status: step.status,
        error: {
          message: `The practice vendor fails as asked (${step.status})`,
          type: step.status < 500 ? 'invalid_request_error' : 'server_error',
          code: 'practice_failure',
        },
      };
  }
}

/** The error while no one is logged in. */
export const NOT_LOGGED_IN: Refusal = {
  status: 401,
  error: {
    message: 'No one is logged in to the practice vendor.',
    type: 'invalid_request_error',
    code: 'token_expired',
  },
};

/** The error for a wrong key. */
export const WRONG_KEY: Refusal = {
  status: 401,
  error: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' },
};

/**
 * The ChatGPT plan's limit. codex 0.169 recognises it by status 429 with `type`, reads the time from `resets_at` (Unix
 * seconds; it ignores `resets_in_seconds`), and prints it to the minute.
 */
export function usageLimit(until: Date): Refusal {
  const resetsAt = Math.ceil(until.getTime() / 1_000);
  return {
    status: 429,
    error: {
      message: 'The usage limit has been reached',
      type: 'usage_limit_reached',
      code: null,
      plan_type: 'plus',
      resets_at: resetsAt,
      resets_in_seconds: Math.max(0, resetsAt - Math.floor(Date.now() / 1_000)),
    },
  };
}

/** Sends an error. */
export function sendRefusal(response: ServerResponse, { status, error }: Refusal): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error }));
}
