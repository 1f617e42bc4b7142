import { handle } from '../../lib/api/serve.ts';
import { deleteParameter as route } from '../../lib/contract/routes/parameters.ts';
import { deleteParameter } from '../../lib/projects/parameters.ts';
import { DEFAULT_PROJECT, ProjectStore } from '../../lib/projects/projects.ts';

/** `DELETE /parameters/{name}` */
export const handler = handle(
  route,
  ({ registry }) => ({ registry, projects: new ProjectStore(registry) }),
  async ({ params: { name }, query: { project = DEFAULT_PROJECT } }, { noteTarget }, context) => {
    noteTarget({ project });
    return { body: await deleteParameter(context, { project, name }) };
  },
);
