import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { sessionQuery } from './session.ts';
import { setSessionOver } from './session-over.ts';
import { signIn } from './sign-in.ts';

/**
 * Sends an unauthenticated user to the sign-in, which returns to the same page. If a session ends while a page is open,
 * the page and its unsent input stay.
 */
function onError(error: Error): void {
  if (!(error instanceof ApiError) || error.status !== 401) return;
  if (queryClient.getQueryData(sessionQuery.queryKey) === undefined) signIn();
  else setSessionOver(true);
}

/** The cache of API responses. Only transient errors are retried. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  // A browser that believes it is offline still reaches a local run. An unreachable service is reported, not awaited
  // silently.
  defaultOptions: {
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status < 500),
      staleTime: 2_000,
    },
  },
});
