import { serveTokenChange } from '../../lib/api/serve-token-change.ts';
import { resumeToken as route } from '../../lib/contract/routes/tokens.ts';

/** `POST /tokens/{id}/resume` */
export const handler = serveTokenChange(route, 'active');
