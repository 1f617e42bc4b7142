import { openBindings } from '../../lib/api/runtime/open-bindings.ts';
import { serve } from '../../lib/api/serve.ts';
import { writeBinding as route } from '../../lib/contract/routes/deploy-bindings.ts';
import { writeBinding } from '../../lib/deployments/bindings/write-binding.ts';

/** `POST /deploy-bindings` */
export const handler = serve(route, openBindings, async ({ body }, _call, context) => {
  const { view, created } = await writeBinding(context, body);
  return { status: created ? (201 as const) : (200 as const), body: view };
});
