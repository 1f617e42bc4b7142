import type { AgentSessionStore } from '../output/agent-sessions/agent-session-store.ts';
import { MESSAGE_HEADING, MESSAGE_HEADING_BYTES } from './message-id.ts';

/** Passes a session on, and collects the ids of messages in it. */
export async function* noting(session: AsyncIterable<Uint8Array>, ids: Set<string>): AsyncGenerator<Uint8Array> {
  let rest = '';
  for await (const chunk of session) {
    // A heading may be cut. It is ASCII.
    const text = rest + Buffer.from(chunk).toString('latin1');
    for (const [, id = ''] of text.matchAll(MESSAGE_HEADING)) ids.add(id);
    rest = text.slice(-MESSAGE_HEADING_BYTES);
    yield chunk;
  }
}

/** The ids of the messages in the session that an attempt has saved; none if it has saved no session. */
export async function messagesSaved(
  sessions: Pick<AgentSessionStore, 'find'>,
  jobId: string,
  attempt: number,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const session = await sessions.find(jobId, attempt);
  if (session !== undefined) for await (const _chunk of noting(session.read(), ids));
  return ids;
}
