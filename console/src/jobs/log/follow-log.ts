import type { Schemas } from '../../api/client.ts';
import type { KeptStates } from './output-losses.ts';

type Status = Schemas['Job']['status'];

/** A piece of a followed log. */
export interface LogPiece {
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
  /** The byte of the stream at which it begins. */
  readonly offset: number;
  /** The byte of the stream behind it. */
  readonly next_offset: number;
}

export interface LogFollower {
  readonly onPiece: (piece: LogPiece) => void;
  /** The attempt has ended and all of it was brought. */
  readonly onEnd: (status: Status, kept: KeptStates) => void;
  /** Why nothing more comes: for good, or until `onPiece` is called again. */
  readonly onTrouble: (message: string, isFinal: boolean) => void;
}

/** How long a connection may be down before that is said; the service can ask for a pause of two seconds. */
const TROUBLE_AFTER_MS = 6_000;

/**
 * Follows what an attempt writes, from its first byte or from `offset`, until it ends. The browser reconnects by itself
 * and goes on behind the last event it got.
 * @returns what ends the following
 */
export function followLog(
  job: { id: string; attempt: number },
  from: { stream: 'stdout' | 'stderr' | 'all'; offset?: number },
  follower: LogFollower,
): () => void {
  const query = new URLSearchParams({ follow: '1', stream: from.stream, attempt: String(job.attempt) });
  if (from.offset !== undefined && from.stream !== 'all') query.set('offset', String(from.offset));
  let trouble: ReturnType<typeof setTimeout> | undefined;
  const source = new EventSource(`/api/v1/jobs/${encodeURIComponent(job.id)}/logs?${query}`);
  source.onopen = () => clearTimeout(trouble);
  source.onmessage = ({ data }: MessageEvent<string>) => follower.onPiece(JSON.parse(data) as LogPiece);
  source.addEventListener('end', ({ data }: MessageEvent<string>) => {
    source.close();
    const { status, ...kept } = JSON.parse(data) as { status: Status } & KeptStates;
    follower.onEnd(status, kept);
  });
  source.onerror = (event) => {
    clearTimeout(trouble);
    // An event of the service's own brings a sentence; the browser's has none, and it tries again by itself.
    if (event instanceof MessageEvent) {
      source.close();
      follower.onTrouble(
        `The log can't be followed any further: ${(JSON.parse(String(event.data)) as { error: string }).error}`,
        true,
      );
    } else if (source.readyState === EventSource.CLOSED) {
      follower.onTrouble('The log is not reachable. Reload the page to try again.', true);
    } else {
      // A stream ends within a minute and is asked for again at once, or after a pause: trouble is what lasts.
      trouble = setTimeout(() => follower.onTrouble('The connection was lost. Trying again.', false), TROUBLE_AFTER_MS);
    }
  };
  return () => {
    clearTimeout(trouble);
    source.close();
  };
}
