import type { TokenStore } from '../../access/tokens/token-store.ts';
import { SCOPES } from '../../contract/scopes.ts';
import type { Home } from './home.ts';

/** The token that the local run shows: the earlier one while it is valid for every scope, otherwise a new one. */
export async function localToken(home: Home, tokens: TokenStore): Promise<string> {
  const kept = await home.readToken();
  const known = kept === undefined ? undefined : await tokens.verify(kept);
  if (kept !== undefined && SCOPES.every((scope) => known?.scopes.includes(scope))) return kept;
  const { token } = await tokens.create({ name: 'local run', scopes: SCOPES });
  await home.writeToken(token);
  return token;
}
