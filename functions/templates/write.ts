import { handle } from '../../lib/api/serve.ts';
import { writeEntry } from '../../lib/catalog/catalog.ts';
import { readTemplate, viewTemplate } from '../../lib/catalog/templates.ts';
import { writeTemplate as route } from '../../lib/contract/routes/templates.ts';

/** `PUT /templates/{name}` */
export const handler = handle(
  route,
  ({ registry }) => registry,
  async ({ params, body }, _call, registry) => {
    const { change, item } = await writeEntry(registry, 'templates', { name: params.name, ...body });
    return { status: change === 'created' ? (201 as const) : (200 as const), body: viewTemplate(readTemplate(item)) };
  },
);
