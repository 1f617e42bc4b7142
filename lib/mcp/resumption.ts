import * as z from 'zod';
import { POLL_MS } from './tasks.ts';

/** Characters of a request's id in an event id, which clients send back as a header. */
const MAX_ID_LENGTH = 100;

/** A request for the result of a task that has not ended. Clients resume it by the id of the last event they got. */
const pending = z.object({
  task: z.string(),
  id: z.union([z.number(), z.string().max(MAX_ID_LENGTH)]),
  /** How often it was resumed. Ids of events are unique. */
  times: z.number().int().nonnegative(),
});
export type Pending = z.output<typeof pending>;

/** The request of a message, if it is one for a result and can be resumed. */
export function pendingOf(body: Readonly<Record<string, unknown>>): Pending | undefined {
  if (body.method !== 'tasks/result') return undefined;
  const { taskId } = Object(body.params);
  return pending.safeParse({ task: taskId, id: body.id, times: 0 }).data;
}

/** The request that an event id names. @returns undefined if the id is not of an unfinished request */
export function readEventId(eventId: string): Pending | undefined {
  try {
    return pending.safeParse(JSON.parse(Buffer.from(eventId, 'base64url').toString())).data;
  } catch {
    return undefined;
  }
}

/** The message that asks again. */
export function requestOf({ task, id }: Pending): Readonly<Record<string, unknown>> {
  return { jsonrpc: '2.0', id, method: 'tasks/result', params: { taskId: task } };
}

/** A stream without an answer: its client connects again after a pause. */
export function unansweredStream({ times, ...request }: Pending): string {
  const id = Buffer.from(JSON.stringify({ ...request, times: times + 1 })).toString('base64url');
  return `id: ${id}\nretry: ${POLL_MS}\ndata:\n\n`;
}

/** A stream that ends with an answer. Nothing can be resumed by its event id. */
export function answeredStream(answer: object): string {
  return `id: end\ndata: ${JSON.stringify(answer)}\n\n`;
}
