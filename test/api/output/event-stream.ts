import type { ServiceUnderTest } from '../../local-run/local-service.ts';

/** One server-sent event, as an EventSource would dispatch it. */
export interface ServerSentEvent {
  readonly name: string;
  /** The last id that came until then. */
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events freely
  readonly data: any;
}

/** An open stream of events. */
export interface EventStream {
  readonly response: Response;
  readonly events: AsyncGenerator<ServerSentEvent, void>;
  /** Closes the connection. */
  close(): void;
}

/** Follows the output of a job. `query` begins behind `follow=1`. */
export async function follow(
  service: ServiceUnderTest,
  id: string,
  query = '',
  headers: Record<string, string> = {},
): Promise<EventStream> {
  return await openEvents(service, `/jobs/${id}/logs?follow=1${query}`, headers);
}

/** Opens a stream of events at a path of the API. */
export async function openEvents(
  service: ServiceUnderTest,
  path: string,
  headers: Record<string, string> = {},
): Promise<EventStream> {
  const closing = new AbortController();
  const response = await fetch(`${service.baseUrl}/api/v1${path}`, {
    headers: { authorization: `Bearer ${service.token}`, accept: 'text/event-stream', ...headers },
    signal: closing.signal,
  });
  return { response, events: read(response), close: () => closing.abort() };
}

/** All events until the stream closes. */
export async function allEvents(stream: EventStream): Promise<ServerSentEvent[]> {
  return await Array.fromAsync(stream.events);
}

/** What the events say of a stream, put together. */
export function textOf(events: readonly ServerSentEvent[], stream = 'stdout'): string {
  return events
    .filter(({ name, data }) => name === 'message' && data.stream === stream)
    .map(({ data }) => data.text)
    .join('');
}

async function* read(response: Response): AsyncGenerator<ServerSentEvent, void> {
  let pending = '';
  let id = '';
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for await (const chunk of response.body ?? []) {
    pending += decoder.decode(chunk, { stream: true });
    const blocks = pending.split('\n\n');
    pending = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = block.split('\n').map((line) => line.split(/: ?(.*)/s) as [string, string]);
      const field = (wanted: string) => fields.find(([name]) => name === wanted)?.[1];
      id = field('id') ?? id;
      const data = field('data');
      if (data !== undefined) yield { name: field('event') ?? 'message', id, data: JSON.parse(data) };
    }
  }
}
