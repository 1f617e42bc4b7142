import { handle } from '../../lib/api/serve.ts';
import { describeDeployment } from '../../lib/contract/openapi/openapi-deployment.ts';
import { readOpenApi as route } from '../../lib/contract/routes/service.ts';
import document from '../../openapi.json' with { type: 'json' };

/** `GET /openapi.json` */
export const handler = handle(
  route,
  ({ env }) => describeDeployment(document, { timeoutUnit: env.PROMPTQ_TIMEOUT_UNIT }),
  async (_input, _call, body) => ({ body }),
);
