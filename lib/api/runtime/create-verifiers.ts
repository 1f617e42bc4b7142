import type { Verifiers } from '../../access/authenticate.ts';
import { callerAddress } from '../../access/caller-address.ts';
import { verifyPerimeter } from '../../access/perimeter.ts';
import { verifyTelegram } from '../../access/telegram.ts';
import { ApiError } from '../../contract/errors.ts';
import { isUnavailable } from '../../platform/aws/unavailable.ts';
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
      const token = await orNameTable(tokens.verify(text));
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
      const session = await orNameTable(sessions.verify(cookie));
      if (session === undefined) return undefined;
      const { id, name, email, role, expires_at: expiresAt } = session;
      return { kind: 'session', name, role, sessionId: id, expiresAt, ...(email !== undefined && { email }) };
    },
  };
}

/** Seconds until a retry while the table is unavailable. */
const TABLE_RETRY = 5;

/**
 * @throws ApiError `unavailable` that names the table: without it no caller can be authenticated, not even for
 *   `/health`.
 */
async function orNameTable<T>(verified: Promise<T>): Promise<T> {
  try {
    return await verified;
  } catch (error) {
    if (isUnavailable(error)) throw ApiError.of('unavailable', { failed: ['table'] }, TABLE_RETRY);
    throw error;
  }
}
