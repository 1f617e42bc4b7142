import { viewToken } from '../../lib/access/token-view.ts';
import { listTokens as route } from '../../lib/contract/routes/tokens.ts';
import { serve } from '../../lib/http/serve.ts';

/** `GET /tokens` */
export const handler = serve(
  route,
  ({ tokens }) => tokens,
  async (_input, { core }, tokens) => {
    const items = await tokens.list();
    return { body: { items: items.map((token) => viewToken(token, core.env.PROMPTQ_API_SCOPE_ENFORCE)) } };
  },
);
