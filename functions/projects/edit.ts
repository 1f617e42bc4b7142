import { handle } from '../../lib/api/serve.ts';
import { editProject as route } from '../../lib/contract/routes/project-settings.ts';
import { editProject } from '../../lib/projects/edit-project.ts';
import { ProjectSettingsStore } from '../../lib/projects/project-settings.ts';
import { ProjectStore } from '../../lib/projects/projects.ts';
import { addressRules } from '../../lib/projects/repository-address.ts';

/** `PATCH /projects/{id}` */
export const handler = handle(
  route,
  ({ registry, env }) => ({
    projects: new ProjectStore(registry),
    settings: new ProjectSettingsStore(registry),
    workspaces: env.PROMPTQ_WORKSPACES,
    // The user of a local run may grant a folder at any time.
    rules: () => addressRules(env),
  }),
  async ({ params, query, body }, _call, context) => ({ body: await editProject(context, params.id, body, query) }),
);
