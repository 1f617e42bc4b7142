import { enforcementOf } from '../../lib/access/tokens/token-view.ts';
import { handle } from '../../lib/api/serve.ts';
import { readSession as route } from '../../lib/contract/routes/sessions.ts';

/** `GET /session` */
export const handler = handle(
  route,
  () => undefined,
  async (_input, { principal, core }) => ({
    body: {
      kind: principal.kind,
      name: principal.name,
      email: ('email' in principal && principal.email) || null,
      role: 'role' in principal ? principal.role : null,
      scopes: 'scopes' in principal ? [...principal.scopes] : null,
      ...enforcementOf(core.env.PROMPTQ_API_SCOPE_ENFORCE, principal.kind === 'token'),
      expires_at: ('expiresAt' in principal && principal.expiresAt) || null,
      session_id: 'sessionId' in principal ? principal.sessionId : null,
    },
  }),
);
