import { suspendToken as route } from '../../lib/contract/routes/tokens.ts';
import { serveTokenChange } from '../../lib/http/serve-token-change.ts';

/** `POST /tokens/{id}/suspend` */
export const handler = serveTokenChange(route, 'suspended');
