import { openBindings } from '../../lib/api/runtime/open-bindings.ts';
import { serve } from '../../lib/api/serve.ts';
import { deleteBinding as route } from '../../lib/contract/routes/deploy-bindings.ts';
import { deleteBinding } from '../../lib/deployments/bindings/write-binding.ts';

/** `DELETE /deploy-bindings/{id}` */
export const handler = serve(route, openBindings, async ({ params }, _call, context) => ({
  body: await deleteBinding(context, params.id),
}));
