import { EventSourceParserStream } from 'eventsource-parser/stream';
import { ApiError } from '../../api/api-error.ts';
import type { Schemas } from '../../api/client.ts';
import { ERROR_WORDS } from '../../api/error-words.ts';
import { nextSuccess } from '../../api/next-success.ts';
import { reach } from '../../api/reach.ts';
import type { OutputStates } from './output-losses.ts';

type Status = Schemas['Job']['status'];

/** A piece of a followed log. */
export interface LogPiece {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
  /** The byte of the stream at which it begins. */
  readonly offset: number;
  /** The byte of the stream after its end. */
  readonly next_offset: number;
}

interface LogFollower {
  /** The service responded. Pieces follow as they are written. */
  readonly onOpen?: () => void;
  readonly onPiece: (piece: LogPiece) => void;
  /** The attempt has ended, and its whole log was delivered. */
  readonly onEnd: (status: Status, kept: OutputStates) => void;
  /** Why the log stopped: permanently, or until `onOpen` is called again. */
  readonly onTrouble: (message: string, isFinal: boolean) => void;
}

/** Time (ms) that a connection may be down before it is reported. The service can request a pause of two seconds. */
const TROUBLE_AFTER_MS = 6_000;
/** Delay (ms) after a failed request. The service sets its delays with `retry`. */
const RETRY_AFTER_MS = 2_000;
/** While the session is over. */
const SIGNED_OUT = ERROR_WORDS.unauthorized ?? '';
/** Minimum delay (ms) between two streams. */
const MIN_PAUSE_MS = 100;

/**
 * Follows the log of an attempt, from its first byte or from `offset`, until the attempt ends. Resumes after the last
 * received event when a stream breaks, a response is transient (429, 5xx), or the user has signed in again. An
 * EventSource would stop for good at such a response.
 * @returns a function that stops following
 */
export function followLog(
  job: { id: string; attempt: number },
  from: { stream: 'stdout' | 'stderr' | 'all'; offset?: number },
  follower: LogFollower,
): () => void {
  const query = new URLSearchParams({ follow: '1', stream: from.stream, attempt: String(job.attempt) });
  if (from.offset !== undefined && from.stream !== 'all') query.set('offset', String(from.offset));
  const stopped = new AbortController();
  void follow(`/api/v1/jobs/${encodeURIComponent(job.id)}/logs?${query}`, follower, stopped.signal).catch(
    (error: unknown) => {
      if (!stopped.signal.aborted)
        follower.onTrouble(
          `Could not continue following the log: ${error instanceof Error ? error.message : String(error)}`,
          true,
        );
    },
  );
  return () => stopped.abort();
}

async function follow(url: string, follower: LogFollower, signal: AbortSignal): Promise<void> {
  const position: Position = { lastEventId: undefined, pauseMs: RETRY_AFTER_MS };
  let trouble: ReturnType<typeof setTimeout> | undefined;
  const onOpen = () => {
    clearTimeout(trouble);
    trouble = undefined;
    follower.onOpen?.();
  };
  const onTrouble = () => follower.onTrouble('The connection was lost. Reconnecting.', false);
  try {
    for (;;) {
      const outcome = await readStream(url, position, { ...follower, onOpen }, signal);
      if (outcome === 'ended' || signal.aborted) return;
      if (outcome === 'signed_out') {
        clearTimeout(trouble);
        trouble = undefined;
        follower.onTrouble(SIGNED_OUT, false);
        await nextSuccess(signal);
      }
      // A stream ends within a minute and is reopened immediately or after a pause. Only a lasting failure is reported.
      trouble ??= setTimeout(onTrouble, TROUBLE_AFTER_MS);
      await pause(outcome === 'failed' ? RETRY_AFTER_MS : Math.max(position.pauseMs, MIN_PAUSE_MS), signal);
    }
  } finally {
    clearTimeout(trouble);
  }
}

/** Where a stream resumes, and after which delay. */
interface Position {
  lastEventId: string | undefined;
  pauseMs: number;
}

/**
 * Reads one stream to its end.
 * @throws ApiError for a permanent error response; Error with the message of the service's last event
 */
async function readStream(
  url: string,
  position: Position,
  follower: LogFollower,
  signal: AbortSignal,
): Promise<'ended' | 'closed' | 'failed' | 'signed_out'> {
  const headers = {
    accept: 'text/event-stream',
    ...(position.lastEventId && { 'last-event-id': position.lastEventId }),
  };
  const answer = await reach(url, { headers, credentials: 'same-origin', cache: 'no-store', signal }).catch(
    () => undefined,
  );
  if (answer === undefined || answer.status === 429 || answer.status >= 500) return 'failed';
  if (answer.status === 401) return 'signed_out';
  if (!answer.ok || answer.body === null) throw ApiError.of(answer, await answer.json().catch(() => undefined));
  follower.onOpen?.();
  const events = answer.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ onRetry: (pauseMs) => (position.pauseMs = pauseMs) }))
    .getReader();
  for (;;) {
    const read = await events.read().catch(() => undefined);
    if (read === undefined || read.done) return signal.aborted ? 'ended' : 'closed';
    const { id, event, data } = read.value;
    if (id !== undefined) position.lastEventId = id;
    if (event === 'error') {
      const { error } = JSON.parse(data) as { error: string };
      if (error === 'unauthorized') return 'signed_out';
      throw new Error(ERROR_WORDS[error] ?? error);
    }
    if (event === 'end') {
      await events.cancel();
      const { status, ...kept } = JSON.parse(data) as { status: Status } & OutputStates;
      follower.onEnd(status, kept);
      return 'ended';
    }
    follower.onPiece(JSON.parse(data) as LogPiece);
    if (signal.aborted) return 'ended';
  }
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });
}
