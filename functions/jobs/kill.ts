import { serveEnding } from '../../lib/api/serve-action.ts';
import { killJob as route } from '../../lib/contract/routes/jobs.ts';

/** `POST /jobs/{id}/kill` */
export const handler = serveEnding(route, 'kill');
