import { serveEnding } from '../../lib/api/serve-action.ts';
import { cancelJob as route } from '../../lib/contract/routes/jobs.ts';

/** `POST /jobs/{id}/cancel` */
export const handler = serveEnding(route, 'cancel');
