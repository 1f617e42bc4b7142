import { createBindings } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { writeBinding } from '../../lib/bindings/write-binding.ts';
import { writeBinding as route } from '../../lib/contract/routes/deploy-bindings.ts';

/** `POST /deploy-bindings` */
export const handler = handle(route, createBindings, async ({ body }, _call, context) => {
  const { view, created } = await writeBinding(context, body);
  return { status: created ? (201 as const) : (200 as const), body: view };
});
