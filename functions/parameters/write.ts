import { handle } from '../../lib/api/serve.ts';
import { writeParameter as route } from '../../lib/contract/routes/parameters.ts';
import { writeParameter } from '../../lib/projects/parameters.ts';
import { DEFAULT_PROJECT, ProjectStore } from '../../lib/projects/projects.ts';

/** `PUT /parameters/{name}` */
export const handler = handle(
  route,
  ({ registry, clock }) => ({ registry, projects: new ProjectStore(registry), clock }),
  async ({ params: { name }, query: { project = DEFAULT_PROJECT }, body }, { noteTarget }, context) => {
    noteTarget({ project });
    const { parameter, created } = await writeParameter(context, { project, name }, body);
    return { status: created ? (201 as const) : (200 as const), body: parameter };
  },
);
