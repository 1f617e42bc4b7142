import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import { notifyManager, type Query } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { ApiError } from '../api/api-error.ts';
import { queryClient } from '../api/query-client.ts';
import { TimeAgo } from '../format/time-ago.tsx';

/** Milliseconds between two attempts to read out-of-date data again, also of a page that does not poll. */
const RETRY_INTERVAL_MS = 5_000;

const reads = queryClient.getQueryCache();

/**
 * Says that the open page shows old data, because some of it could not be read again. It covers every read of every
 * page. A page reports a first read that fails, as it then has no data to show.
 */
export function OutOfDate() {
  const failed = useSyncExternalStore(subscribe, oldestFailed);
  const isOutOfDate = failed !== undefined;
  useEffect(() => {
    if (!isOutOfDate) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return;
      const predicate = (read: Query) => isFailed(read) && isTransient(read.state.error);
      void queryClient.refetchQueries({ type: 'active', predicate }, { cancelRefetch: false });
    }, RETRY_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [isOutOfDate]);
  if (failed === undefined) return null;
  return (
    <Box margin={{ bottom: 'm' }}>
      <Alert type="warning" header="This page is out of date">
        {failed.error?.message} Last update: <TimeAgo at={new Date(failed.dataUpdatedAt).toISOString()} />.
        {isTransient(failed.error) && ' The page updates as soon as the service responds.'}
      </Alert>
    </Box>
  );
}

function subscribe(listener: () => void): () => void {
  return reads.subscribe(notifyManager.batchCalls(listener));
}

/** Of the shown reads that could not be repeated, the one with the oldest data. */
function oldestFailed(): Query['state'] | undefined {
  const failed = reads.findAll({ type: 'active', predicate: isFailed });
  return failed.toSorted((one, other) => one.state.dataUpdatedAt - other.state.dataUpdatedAt)[0]?.state;
}

/** Whether a read with data failed. The list shows whether its next page could not be loaded. */
function isFailed({ state }: Query): boolean {
  return state.status === 'error' && state.data !== undefined && state.fetchMeta?.fetchMore?.direction !== 'forward';
}

/** Whether the same read may succeed later. */
function isTransient(error: Error | null): boolean {
  return !(error instanceof ApiError) || error.status === 429 || error.status >= 500;
}
