import { deleteBinding } from '../../lib/bindings/write-binding.ts';
import { deleteBinding as route } from '../../lib/contract/routes/deploy-bindings.ts';
import { openBindings } from '../../lib/http/open-bindings.ts';
import { serve } from '../../lib/http/serve.ts';

/** `DELETE /deploy-bindings/{id}` */
export const handler = serve(route, openBindings, async ({ params }, _call, context) => ({
  body: await deleteBinding(context, params.id),
}));
