import { createAutomationWriting } from '../../lib/api/runtime/automations.ts';
import { handle } from '../../lib/api/serve.ts';
import { changeSecret } from '../../lib/automations/change-secret.ts';
import { changeHookSecret as route } from '../../lib/contract/routes/hooks.ts';

/** `POST /automations/{id}/secret` */
export const handler = handle(route, createAutomationWriting, async ({ params, body }, _call, context) => ({
  body: { secret: await changeSecret(context, params.id, body.secret) },
}));
