import { handle } from '../../lib/api/serve.ts';
import { listParameters as route } from '../../lib/contract/routes/parameters.ts';
import { listParameters } from '../../lib/projects/parameters.ts';
import { ProjectStore } from '../../lib/projects/projects.ts';

/** `GET /parameters` */
export const handler = handle(
  route,
  ({ registry }) => ({ registry, projects: new ProjectStore(registry) }),
  async ({ query }, _call, context) => ({ body: { items: await listParameters(context, query.project) } }),
);
