import type { TokenState } from '../access/tokens/token-store.ts';
import { viewToken } from '../access/tokens/token-view.ts';
import { ApiError } from '../contract/errors.ts';
import type { revokeToken } from '../contract/routes/tokens.ts';
import { handle } from './serve.ts';

/** The handler of a route that changes a token's state and answers with the updated token. */
export function serveTokenChange(route: typeof revokeToken, state: TokenState) {
  return handle(
    route,
    ({ tokens }) => tokens,
    async ({ params }, { core }, tokens) => {
      const changed = await tokens.setState(params.id, state);
      if (changed === 'unknown') throw ApiError.of('not_found');
      if (changed === 'revoked')
        throw ApiError.because('invalid_state', `token ${params.id} is revoked permanently; create another one`);
      return { body: viewToken(changed, core.env.PROMPTQ_API_SCOPE_ENFORCE) };
    },
  );
}
