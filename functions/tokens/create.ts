import { viewToken } from '../../lib/access/tokens/token-view.ts';
import { handle } from '../../lib/api/serve.ts';
import { createToken as route } from '../../lib/contract/routes/tokens.ts';
import { DEFAULT_SCOPES, SCOPES } from '../../lib/contract/scopes.ts';

/** `POST /tokens` */
export const handler = handle(
  route,
  ({ tokens }) => tokens,
  async ({ body }, { core, noteTarget }, tokens) => {
    const wanted: readonly string[] = body.scopes ?? DEFAULT_SCOPES;
    const scopes = SCOPES.filter((scope) => wanted.includes(scope));
    const expiry = body.expires_at ? { expiresAt: Date.parse(body.expires_at) } : {};
    const replaces = body.replaces ? { replaces: body.replaces } : {};
    const created = await tokens.create({ name: body.name, scopes, ...expiry, ...replaces });
    noteTarget({ id: created.id, name: created.name });
    return { body: viewToken(created, core.env.PROMPTQ_API_SCOPE_ENFORCE) };
  },
);
