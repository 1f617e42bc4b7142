import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, dataOf, type Schemas } from '../api/client.ts';
import { notify } from '../feedback/notices.tsx';

export type Token = Schemas['Token'];
export type CreatedToken = Schemas['CreatedToken'];
type TokenCreation = Schemas['TokenCreation'];
export type TokenChange = 'suspend' | 'resume' | 'revoke';

/** The API tokens, newest first. */
export const tokensQuery = queryOptions({
  queryKey: ['tokens'],
  queryFn: async () => await dataOf(api.GET('/api/v1/tokens')),
});

/** Creates a token. The response is shown once and not cached. */
export function useCreateToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: TokenCreation): Promise<CreatedToken> =>
      await dataOf(api.POST('/api/v1/tokens', { body })),
    gcTime: 0,
    onSuccess: async () => await client.invalidateQueries({ queryKey: tokensQuery.queryKey }),
  });
}

/** Suspends, resumes or revokes a token. */
export function useChangeToken() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ change, token }: { change: TokenChange; token: Token }) => await ask(change, token.id),
    onError: (error, { change, token }) =>
      notify({ type: 'error', header: `Could not ${change} the token ${token.name}`, content: error.message }),
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
