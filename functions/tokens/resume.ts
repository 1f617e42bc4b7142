import { resumeToken as route } from '../../lib/contract/routes/tokens.ts';
import { serveTokenChange } from '../../lib/http/serve-token-change.ts';

/** `POST /tokens/{id}/resume` */
export const handler = serveTokenChange(route, 'active');
