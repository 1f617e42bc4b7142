import { deleteJob as route } from '../../lib/contract/routes/jobs.ts';
import { serveAction } from '../../lib/http/serve-action.ts';

/** `DELETE /jobs/{id}`: the action cancel by another name. */
export const handler = serveAction(route, 'cancel', { type: 'cancel' });
