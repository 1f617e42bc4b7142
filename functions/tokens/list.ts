import { viewToken } from '../../lib/access/token-view.ts';
import { listTokens as route } from '../../lib/contract/routes/tokens.ts';
import { serve } from '../../lib/http/serve.ts';

/** `GET /tokens` */
export const handler = serve(
  route,
  ({ tokens }) => tokens,
  async (_input, _call, tokens) => ({ body: { items: (await tokens.list()).map(viewToken) } }),
);
