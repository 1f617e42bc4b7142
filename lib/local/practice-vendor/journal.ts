import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Conversation } from './model/conversation.ts';

/** One request of the model. */
export interface JournalEntry {
  /** RFC 3339. */
  readonly at: string;
  readonly path: string;
  /** The CLI's session; null: it named none. */
  readonly session: string | null;
  /** How the prompt of the turn begins. */
  readonly prompt: string;
  /** How many results of this turn's tool calls the request brought. */
  readonly results: number;
  /** The same for two requests with the same body: a CLI repeats failed ones. */
  readonly digest: string;
  /** Of the answer; null: not answered yet. */
  status: number | null;
  /** Whether the whole answer was sent. */
  complete: boolean;
}

const MAX_ENTRIES = 10_000;
const PROMPT_HEAD = 500;

/** What the practice model was asked, oldest first, in memory: the newest 10,000 requests. */
export class Journal {
  readonly items: JournalEntry[] = [];

  /** Records a request, and its answer once that has ended. */
  record(request: IncomingMessage, response: ServerResponse, body: Buffer, conversation: Conversation): void {
    const { headers } = request;
    const session = headers['session-id'] ?? headers['x-claude-code-session-id'];
    const entry: JournalEntry = {
      at: new Date().toISOString(),
      path: new URL(request.url ?? '/', 'http://practice').pathname,
      session: typeof session === 'string' ? session : null,
      prompt: Array.from(conversation.prompt.slice(0, 2 * PROMPT_HEAD))
        .slice(0, PROMPT_HEAD)
        .join(''),
      results: conversation.results.length,
      digest: createHash('sha256').update(body).digest('base64url'),
      status: null,
      complete: false,
    };
    if (this.items.push(entry) > MAX_ENTRIES) this.items.shift();
    response.once('close', () => {
      entry.status = response.headersSent ? response.statusCode : null;
      entry.complete = response.writableFinished;
    });
  }
}
