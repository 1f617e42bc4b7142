import { handle } from '../../lib/api/serve.ts';
import { ProfileStore } from '../../lib/catalog/profiles.ts';
import { renderTemplate } from '../../lib/catalog/render-template.ts';
import { renderTemplate as route } from '../../lib/contract/routes/templates.ts';
import { parameterValues } from '../../lib/projects/parameters.ts';

/** `POST /templates/{name}/render` */
export const handler = handle(
  route,
  ({ registry, env }) => ({
    registry,
    profiles: new ProfileStore(registry),
    defaultProfile: env.PROMPTQ_DEFAULT_PROFILE,
    valuesOfProject: (project?: string) => parameterValues(registry, project),
  }),
  async ({ params, body }, _call, context) => ({ body: await renderTemplate(context, params.name, body) }),
);
