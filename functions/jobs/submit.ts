import { submitJob as route } from '../../lib/contract/routes/jobs.ts';
import { serveAction } from '../../lib/http/serve-action.ts';

/** `POST /jobs/{id}/submit` */
export const handler = serveAction(route, 'submit', { type: 'submit' });
