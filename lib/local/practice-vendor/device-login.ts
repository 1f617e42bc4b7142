import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import * as z from 'zod';
import type { PracticeLogins } from './logins.ts';

/** An answer of the issuer. */
export interface IssuerAnswer {
  readonly status: number;
  readonly body: object;
}

/** The issuer's behaviour: for tests, and for rehearsing failures. */
export const issuerSettingsSchema = z.strictObject({
  /** Whether the account's owner allows device codes. */
  device_codes: z.boolean(),
  /** Seconds until a code expires. */
  code_seconds: z.number().positive(),
  access_seconds: z.number().positive(),
});
type IssuerSettings = z.output<typeof issuerSettingsSchema>;

interface Device {
  readonly userCode: string;
  readonly until: number;
  decision: 'approve' | 'deny' | undefined;
  authorizationCode: string | undefined;
}

/** Pending device logins; codes are in memory only. The messages are those observed in real runs of codex 0.169. */
export class DeviceLogins {
  readonly #logins: PracticeLogins;
  readonly #devices = new Map<string, Device>();
  settings: IssuerSettings = { device_codes: true, code_seconds: 900, access_seconds: 3_600 };

  constructor(logins: PracticeLogins) {
    this.#logins = logins;
  }

  /** `POST /api/accounts/deviceauth/usercode` */
  begin(): IssuerAnswer {
    if (!this.settings.device_codes) return failure(404, 'not_found', 'Device codes are not enabled.');
    const id = randomUUID();
    const userCode = newUserCode();
    const until = Date.now() + this.settings.code_seconds * 1_000;
    this.#devices.set(id, { userCode, until, decision: undefined, authorizationCode: undefined });
    return { status: 200, body: { device_auth_id: id, user_code: userCode, interval: '1' } };
  }

  /** `POST /api/accounts/deviceauth/token`: codex reads 403 as "not yet", and any other failure as final. */
  poll(body: unknown): IssuerAnswer {
    const asked = z.object({ device_auth_id: z.string(), user_code: z.string() }).parse(body);
    const device = this.#devices.get(asked.device_auth_id);
    if (device === undefined || device.userCode !== asked.user_code)
      return failure(400, 'invalid_request', 'There is no such login.');
    if (device.decision === 'deny') return failure(400, 'access_denied', 'The login was denied.');
    if (device.decision === 'approve') {
      device.authorizationCode ??= randomBytes(24).toString('base64url');
      const code_verifier = randomBytes(32).toString('base64url');
      return {
        status: 200,
        body: { authorization_code: device.authorizationCode, code_challenge: code_verifier, code_verifier },
      };
    }
    if (device.until <= Date.now()) return failure(410, 'expired_token', 'The code has expired.');
    return failure(403, 'authorization_pending', 'The code has not been entered yet.');
  }

  /** Applies a person's decision on the page; false: no login waits for this code. */
  decide(userCode: string, decision: 'approve' | 'deny'): boolean {
    const wanted = userCode.trim().toUpperCase();
    for (const device of this.#devices.values()) {
      if (device.userCode !== wanted || device.until <= Date.now() || device.decision !== undefined) continue;
      device.decision = decision;
      return true;
    }
    return false;
  }

  /** `POST /oauth/token`: a form for a new login, JSON for a refresh. */
  async token(body: Readonly<Record<string, unknown>>): Promise<IssuerAnswer> {
    this.#logins.accessSeconds = this.settings.access_seconds;
    if (body.grant_type === 'refresh_token') {
      const renewed = await this.#logins.refresh(z.string().parse(body.refresh_token));
      if (typeof renewed === 'object') return { status: 200, body: renewed };
      return failure(401, renewed, REFRESH_REFUSALS[renewed]);
    }
    const entry = [...this.#devices].find(([, device]) => device.authorizationCode === body.code);
    if (body.grant_type !== 'authorization_code' || entry === undefined)
      return failure(400, 'invalid_grant', 'There is no such authorization code.');
    this.#devices.delete(entry[0]);
    return { status: 200, body: await this.#logins.grant() };
  }

  /** `POST /oauth/revoke` */
  async revoke(body: unknown): Promise<IssuerAnswer> {
    await this.#logins.revoke(z.object({ token: z.string() }).parse(body).token);
    return { status: 200, body: {} };
  }
}

const REFRESH_REFUSALS = {
  refresh_token_reused: 'Your refresh token has already been used to generate a new access token.',
  refresh_token_invalidated: 'Your refresh token has been invalidated.',
} as const;

/** Without letters and digits that are easily confused. */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ23456789';

function newUserCode(): string {
  const letters = Array.from({ length: 9 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

function failure(status: number, code: string, message: string): IssuerAnswer {
  return { status, body: { error: { message, type: 'invalid_request_error', param: null, code } } };
}
