import { killJob as route } from '../../lib/contract/routes/jobs.ts';
import { serveAction } from '../../lib/http/serve-action.ts';

/** `POST /jobs/{id}/kill` */
export const handler = serveAction(route, 'kill', { type: 'kill' });
