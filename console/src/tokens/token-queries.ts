import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { notify } from '../feedback/notices.tsx';
import { writeFailure } from '../feedback/write-failure.tsx';

export type Token = Schemas['Token'];
export type CreatedToken = Schemas['CreatedToken'];
type TokenCreation = Schemas['TokenCreation'];
export type TokenChange = 'suspend' | 'resume' | 'revoke';

/** Milliseconds. */
const POLL_INTERVAL_MS = 30_000;

/** The API tokens, newest first. */
export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async () => await dataOf(api.GET('/api/v1/tokens')),
  refetchInterval: POLL_INTERVAL_MS,
});

/** Creates a token. The response is shown once and not cached. */
export function useCreateToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: TokenCreation): Promise<CreatedToken> =>
      await dataOf(api.POST('/api/v1/tokens', { body })),
    gcTime: 0,
    onSettled: async () => await client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
}

const DONE: Readonly<Record<TokenChange, string>> = { suspend: 'suspended', resume: 'resumed', revoke: 'revoked' };

/** Suspends, resumes or revokes a token. */
export function useChangeToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ change, token }: { change: TokenChange; token: Token }) => await ask(change, token.id),
    onError: (error, { change, token }) =>
      notify(
        writeFailure(error, {
          rejected: `Could not ${change} the token ${token.name}`,
          done: `the token ${token.name} was ${DONE[change]}`,
          next: 'The list is read again and shows its state.',
        }),
      ),
    onSettled: async () => await client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
}

async function ask(change: TokenChange, id: string): Promise<Token> {
  const params = { params: { path: { id } } };
  switch (change) {
    case 'suspend':
      return await dataOf(api.POST('/api/v1/tokens/{id}/suspend', params));
    case 'resume':
      return await dataOf(api.POST('/api/v1/tokens/{id}/resume', params));
    case 'revoke':
      return await dataOf(api.POST('/api/v1/tokens/{id}/revoke', params));
  }
}
