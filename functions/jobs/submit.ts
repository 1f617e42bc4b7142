import { serveAction } from '../../lib/api/serve-action.ts';
import { submitJob as route } from '../../lib/contract/routes/jobs.ts';
import { requireFittingSettings } from '../../lib/jobs/creation/job-settings.ts';

/** `POST /jobs/{id}/submit` */
export const handler = serveAction(route, 'submit', { type: 'submit' }, requireFittingSettings);
