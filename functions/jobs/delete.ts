import { serveAction } from '../../lib/api/serve-action.ts';
import { deleteJob as route } from '../../lib/contract/routes/jobs.ts';

/** `DELETE /jobs/{id}`: the action cancel by another name. */
export const handler = serveAction(route, 'cancel', { type: 'cancel' });
