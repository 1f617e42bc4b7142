import { serveAction } from '../../lib/api/serve-action.ts';
import { retryJob as route } from '../../lib/contract/routes/jobs.ts';
import { requireFittingSettings } from '../../lib/jobs/creation/job-settings.ts';

/** `POST /jobs/{id}/retry` */
export const handler = serveAction(route, 'retry', ({ from }) => ({ type: 'retry', from }), requireFittingSettings);
