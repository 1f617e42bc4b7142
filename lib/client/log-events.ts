import { createParser } from 'eventsource-parser';
import type { components } from './api-types.ts';
import { networkFault, RequestError, TransientError } from './errors.ts';

/** The attempt has ended, and all of its output has been received. */
export type EndEvent = components['schemas']['LogEndEvent'];

/** A piece of output of one attempt, or its end. */
export type LogEvent = components['schemas']['LogOutputEvent'] | EndEvent;

/** Where a stream of events is, so that another connection can continue it. */
export interface Place {
  lastEventId: string | undefined;
  /** Milliseconds that the service asks to wait before the next connection. */
  pauseMs: number;
}

/** The service sends a comment after 15 seconds without output. A connection that is silent for longer is dead. */
const SILENCE_MS = 45_000;

const ERROR_STATUSES: Readonly<Record<string, number>> = { unauthorized: 401, forbidden: 403, job_not_found: 404 };

/**
 * The events of one connection, until it closes.
 * @throws TransientError if it breaks off; RequestError if the service ends it with an error
 */
export async function* eventsOf(response: Response, place: Place, signal?: AbortSignal): AsyncGenerator<LogEvent> {
  const arrived: (LogEvent & { id?: string | undefined })[] = [];
  const parser = createParser({
    onEvent: ({ event, data, id }) => arrived.push(parsed(event, data, id)),
    onRetry: (pauseMs) => {
      place.pauseMs = pauseMs;
    },
  });
  const decoder = new TextDecoder();
  for await (const bytes of chunks(response, signal)) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    for (const { id, ...event } of arrived.splice(0)) {
      if (id !== undefined) place.lastEventId = id;
      yield event;
    }
  }
}

async function* chunks(response: Response, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read());
      if (done) return;
      yield value;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw new TransientError(`the connection was lost: ${networkFault(error)}`, { cause: error });
  } finally {
    // A connection that has failed rejects this too.
    await reader.cancel().catch(() => undefined);
  }
}

async function withinSilence<T>(reading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing arrived for ${SILENCE_MS / 1000} seconds`)), SILENCE_MS);
  });
  try {
    return await Promise.race([reading, silence]);
  } finally {
    clearTimeout(timer);
  }
}

/** @throws RequestError for the event with which the service refuses to continue */
function parsed(
  event: string | undefined,
  text: string,
  id: string | undefined,
): LogEvent & { id?: string | undefined } {
  const data = JSON.parse(text);
  if (event === 'error') throw new RequestError(ERROR_STATUSES[data.error] ?? 400, { error: String(data.error) });
  return event === 'end' ? { type: 'end', ...data } : { type: 'output', ...data, id };
}
