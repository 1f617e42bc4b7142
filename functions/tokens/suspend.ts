import { serveTokenChange } from '../../lib/api/serve-token-change.ts';
import { suspendToken as route } from '../../lib/contract/routes/tokens.ts';

/** `POST /tokens/{id}/suspend` */
export const handler = serveTokenChange(route, 'suspended');
