import { createBindings } from '../../lib/api/runtime/services.ts';
import { handle } from '../../lib/api/serve.ts';
import { deleteBinding } from '../../lib/bindings/write-binding.ts';
import { deleteBinding as route } from '../../lib/contract/routes/deploy-bindings.ts';

/** `DELETE /deploy-bindings/{id}` */
export const handler = handle(route, createBindings, async ({ params }, _call, context) => ({
  body: await deleteBinding(context, params.id),
}));
