import type { Answers } from './command-line.ts';

/** A job in a state, as the routes of its status and of its result answer. */
export function jobIn(status: string, code: string, more: object = {}) {
  return {
    id: 'j',
    status,
    state_reason: { code, message: `It is ${code}.`, retryable: false },
    attempt: 1,
    terminal: ['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(status),
    duration_ms: 1_000,
    exit_code: null,
    signal: null,
    error: null,
    final_message: null,
    agent: 'shell',
    ...more,
  };
}

/** Holds a request until the client ends it. */
export async function held({ signal }: { readonly signal: AbortSignal }): Promise<Response> {
  signal.throwIfAborted();
  return await new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

/** The states of a job, one after another. */
export function statesOf(...[first, ...others]: readonly [object, ...(object | typeof held)[]]): Answers {
  return { 'GET /jobs/j/status': first, 'GET /jobs/j/status?wait=25': others };
}

/** A stream of output, or with a status the end of its attempt. */
export function events(...given: readonly object[]): () => Response {
  const body = given.map((event) => `${'status' in event ? 'event: end\n' : ''}data: ${JSON.stringify(event)}\n\n`);
  return () => new Response(body.join(''), { headers: { 'content-type': 'text/event-stream' } });
}

export function piece(text: string, more: object = {}): object {
  return { attempt: 1, stream: 'stdout', text, offset: 0, ...more };
}
