import { viewToken } from '../../lib/access/tokens/token-view.ts';
import { handle } from '../../lib/api/serve.ts';
import { listTokens as route } from '../../lib/contract/routes/tokens.ts';

/** `GET /tokens` */
export const handler = handle(
  route,
  ({ tokens }) => tokens,
  async (_input, { core }, tokens) => {
    const items = await tokens.list();
    return { body: { items: items.map((token) => viewToken(token, core.env.PROMPTQ_API_SCOPE_ENFORCE)) } };
  },
);
