import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiFault } from './api-fault.ts';
import { sessionQuery } from './session.ts';
import { setSessionOver } from './session-over.ts';
import { signIn } from './sign-in.ts';

/**
 * Whoever is not signed in goes to the sign-in and comes back to the same page. Whose session ended in between keeps the
 * page, and what was typed in it.
 */
function onError(error: Error): void {
  if (!(error instanceof ApiFault) || error.status !== 401) return;
  if (queryClient.getQueryData(sessionQuery.queryKey) === undefined) signIn();
  else setSessionOver(true);
}

/** What the pages have read of the API. Only what may pass by itself is tried again. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  // A browser that thinks it has no network still reaches a local run; and what can't be reached is to say so, not to wait unseen.
  defaultOptions: {
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      retry: (failures, error) => failures < 2 && !(error instanceof ApiFault && error.status < 500),
      staleTime: 2_000,
    },
  },
});
