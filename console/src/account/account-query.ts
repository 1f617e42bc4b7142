import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';

export type Account = Schemas['Account'];

/** Poll interval (ms) of the state: while a login is in progress, and otherwise. */
const POLL_INTERVAL_MS = { underWay: 1_500, idle: 30_000 };

/** The vendor account. Its one-time code stays in the cache only while it is shown. */
export const accountQuery = queryOptions({
  queryKey: ['account', 'codex'],
  queryFn: async () => await dataOf(api.GET('/api/v1/codex-account')),
  gcTime: 0,
  refetchInterval: ({ state }) => (isUnderWay(state.data) ? POLL_INTERVAL_MS.underWay : POLL_INTERVAL_MS.idle),
});

/** Whether a login is in progress. */
export function isUnderWay(account: Account | undefined): boolean {
  return account?.state === 'starting' || account?.state === 'awaiting_user';
}

/** Starts or cancels a login, or unlinks the account. Resolves to the account's new state. */
export function useAccountAction() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (action: 'start' | 'cancel' | 'unlink') => {
      switch (action) {
        case 'start':
          return await dataOf(api.POST('/api/v1/codex-account/start', {}));
        case 'cancel':
          return await dataOf(api.POST('/api/v1/codex-account/cancel', {}));
        case 'unlink':
          return await dataOf(api.DELETE('/api/v1/codex-account'));
      }
    },
    onSuccess: (account) => client.setQueryData(accountQuery.queryKey, account),
    onSettled: async () => await client.invalidateQueries({ queryKey: accountQuery.queryKey }),
  });
}
