import { cancelJob as route } from '../../lib/contract/routes/jobs.ts';
import { serveAction } from '../../lib/http/serve-action.ts';

/** `POST /jobs/{id}/cancel` */
export const handler = serveAction(route, 'cancel', { type: 'cancel' });
