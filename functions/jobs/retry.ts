import { retryJob as route } from '../../lib/contract/routes/jobs.ts';
import { serveAction } from '../../lib/http/serve-action.ts';

/** `POST /jobs/{id}/retry` */
export const handler = serveAction(route, 'retry', { type: 'retry' });
