import { hashKey, MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { UnreachableError } from './reach.ts';
import { sessionQuery } from './session.ts';
import { setSessionOver } from './session-over.ts';
import { signIn } from './sign-in.ts';

const SESSION_HASH = hashKey(sessionQuery.queryKey);

/**
 * Sends an unauthenticated user to the sign-in, which returns to the same page. If a session ends while a page is open,
 * the page and its unsent input stay. While the session's own response is pending, that one decides.
 */
function onError(error: Error, isSession: boolean): void {
  if (!(error instanceof ApiError) || error.status !== 401) return;
  if (queryClient.getQueryData(sessionQuery.queryKey) !== undefined) setSessionOver(true);
  else if (isSession) signIn();
  else queryClient.fetchQuery(sessionQuery).then(() => setSessionOver(true), signIn);
}

/** Whether a read is repeated before its error is shown. A timeout has taken long enough. */
function isRetried(error: Error): boolean {
  if (error instanceof UnreachableError) return !error.isTimeout;
  return !(error instanceof ApiError && error.status < 500);
}

/** The cache of API responses. Only transient errors are retried. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryHash }) => onError(error, queryHash === SESSION_HASH) }),
  mutationCache: new MutationCache({ onError: (error) => onError(error, false) }),
  // A browser that believes it is offline still reaches a local run. An unreachable service is reported, not awaited
  // silently.
  defaultOptions: {
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      retry: (failures, error) => failures < 2 && isRetried(error),
      staleTime: 2_000,
    },
  },
});
