import type { Verifiers } from '../../access/authenticate.ts';
import { callerAddress } from '../../access/caller-address.ts';
import { verifyPerimeter } from '../../access/perimeter.ts';
import { verifyTelegram } from '../../access/telegram.ts';
import type { Core } from './core.ts';

/** The verifiers of each kind of principal. */
export function createVerifiers({
  tokens,
  sessions,
  secrets,
  telegramUsers,
  clock,
  env,
  behindCloudFront,
}: Core): Verifiers {
  return {
    token: async (text) => {
      const token = await tokens.verify(text);
      if (token === undefined) return undefined;
      const { id, name, scopes, expires_at: expiresAt } = token;
      return { kind: 'token', name: `token:${name}`, id, scopes, ...(expiresAt !== undefined && { expiresAt }) };
    },
    perimeter: async (_token, { event, headers }) => {
      const address = callerAddress(event, { behindCloudFront });
      return await verifyPerimeter({ headers, address }, { secrets, sources: env.PROMPTQ_PERIMETER_SOURCES });
    },
    telegram: async (_initData, { headers }) =>
      await verifyTelegram({ headers }, { secrets, users: telegramUsers, now: () => clock.now() }),
    session: async (cookie) => {
      const session = await sessions.verify(cookie);
      if (session === undefined) return undefined;
      const { id, name, email, role, expires_at: expiresAt } = session;
      return { kind: 'session', name, role, sessionId: id, expiresAt, ...(email !== undefined && { email }) };
    },
  };
}
