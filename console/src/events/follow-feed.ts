import { ApiError } from '../api/api-error.ts';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { nextSuccess } from '../api/next-success.ts';
import { setSessionOver } from '../api/session-over.ts';

/** Where reading begins: at a time, or behind an event. */
export type Place = { readonly since: string } | { readonly after: string };

type Filters = Partial<Record<'type' | 'project' | 'template' | 'automation' | 'job', string>>;

interface FeedReader {
  /** Called with every page, also one without events. */
  readonly onPage: (page: Schemas['EventPage']) => void;
  /** A read failed, and is repeated. The next page ends the trouble. */
  readonly onTrouble: (error: Error) => void;
}

const PAGE_SIZE = 500;
/** Seconds that the service may wait for an event. */
const WAIT_SECONDS = 25;
/** Delay (ms) after a failed request. */
const RETRY_AFTER_MS = 2_000;

/**
 * Reads the feed page by page, then waits for what comes, until the signal. It reads by long polling, because streams
 * are few, and logs need them.
 * @throws ApiError that a repetition would meet again, such as an unknown project
 */
export async function followFeed(
  filters: Filters,
  from: Place,
  reader: FeedReader,
  signal: AbortSignal,
): Promise<void> {
  let place = from;
  let isAtEnd = false;
  while (!signal.aborted) {
    const query = { ...filters, ...place, limit: PAGE_SIZE, ...(isAtEnd && { wait: WAIT_SECONDS }) };
    try {
      // The other media type is a stream, which it does not ask for.
      const page = (await dataOf(api.GET('/api/v1/events', { params: { query }, signal }))) as Schemas['EventPage'];
      if (signal.aborted) return;
      place = { after: page.next_cursor };
      isAtEnd = !page.has_more;
      reader.onPage(page);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Error) || isFinal(error)) throw error;
      reader.onTrouble(error);
      if (error instanceof ApiError && error.status === 401) {
        setSessionOver(true);
        await nextSuccess(signal);
      } else await pause(signal);
    }
  }
}

function isFinal(error: Error): boolean {
  return error instanceof ApiError && error.status < 500 && error.status !== 429 && error.status !== 401;
}

async function pause(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, RETRY_AFTER_MS);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
