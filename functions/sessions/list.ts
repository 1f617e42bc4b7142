import { handle } from '../../lib/api/serve.ts';
import { listSessions as route } from '../../lib/contract/routes/sessions.ts';

/** `GET /sessions` */
export const handler = handle(
  route,
  ({ sessions }) => sessions,
  async (_input, { principal }, sessions) => {
    const own = 'sessionId' in principal ? principal.sessionId : undefined;
    const items = (await sessions.list()).map(({ subject: _subject, ...session }) => ({
      ...session,
      email: session.email ?? null,
      browser: session.browser ?? null,
      address: session.address ?? null,
      current: session.id === own,
    }));
    return { body: { items } };
  },
);
