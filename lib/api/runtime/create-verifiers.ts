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
      const { id, name, scopes, lineage, expires_at: expiresAt } = token;
      const known = { name: `token:${name}`, id, scopes, keyOwner: `token ${lineage}` };
      return { kind: 'token', ...known, ...(expiresAt !== undefined && { expiresAt }) };
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
      const { id, name, subject, email, role, expires_at: expiresAt } = session;
      const known = { name, role, sessionId: id, expiresAt, keyOwner: `user ${subject}` };
      return { kind: 'session', ...known, ...(email !== undefined && { email }) };
    },
  };
}
