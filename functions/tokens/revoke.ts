import { serveTokenChange } from '../../lib/api/serve-token-change.ts';
import { revokeToken as route } from '../../lib/contract/routes/tokens.ts';

/** `POST /tokens/{id}/revoke` */
export const handler = serveTokenChange(route, 'revoked');
