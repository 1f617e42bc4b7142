import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import * as z from 'zod';
import { PracticeLogins } from './logins.ts';

/*
 * The practice vendor's issuer of logins: its routes, the logins by device code that they start, approve and redeem, and
 * the page on which a person decides.
 */

/** The stand-in for the vendor's login: device codes, tokens, and the approval page. */
interface PracticeIssuer {
  /** Answers requests for the issuer. @returns false for other requests */
  answer(route: string, request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Whether an access token of a login is valid. */
  opens(accessToken: string): boolean;
}

/** The target of the page's form: the only request that a browser makes with an origin. */
export const DECIDE_ROUTE = 'POST /codex/device';

/**
 * @param options.file where logins are kept across restarts; undefined: in memory
 * @param options.mayDecide whether a connection, or an entered key, is the operator's
 */
export async function openIssuer({
  file,
  mayDecide,
}: {
  readonly file: string | undefined;
  readonly mayDecide: (socket: Socket, key: string) => Promise<boolean>;
}): Promise<PracticeIssuer> {
  const logins = await PracticeLogins.open(file);
  const devices = new DeviceLogins(logins);

  const json: Readonly<Record<string, (body: unknown) => IssuerAnswer | Promise<IssuerAnswer>>> = {
    'POST /api/accounts/deviceauth/usercode': () => devices.begin(),
    'POST /api/accounts/deviceauth/token': (body) => devices.poll(body),
    'POST /oauth/revoke': (body) => devices.revoke(body),
    'GET /practice/issuer': () => ({ status: 200, body: devices.settings }),
    'PUT /practice/issuer': (body) => {
      devices.settings = { ...devices.settings, ...issuerSettingsSchema.partial().parse(body) };
      return { status: 200, body: devices.settings };
    },
    'POST /practice/issuer/end-access': async () => {
      await logins.endAccess();
      return { status: 200, body: {} };
    },
  };

  return {
    opens: (accessToken) => logins.opens(accessToken),
    async answer(route, request, response) {
      if (route === 'GET /codex/device')
        return sendPage(response, 200, devicePage({ needsKey: !(await mayDecide(request.socket, '')) }));
      if (route === DECIDE_ROUTE) {
        const form = new URLSearchParams((await buffer(request)).toString());
        if (!(await mayDecide(request.socket, form.get('key') ?? ''))) return sendPage(response, 403, REFUSED);
        return sendPage(response, ...decided(devices, form));
      }
      if (route === 'POST /oauth/token') return sendJson(response, await devices.token(await grantOf(request)));
      const handle = json[route];
      if (handle === undefined) return false;
      const text = (await buffer(request)).toString();
      return sendJson(response, await handle(text === '' ? {} : JSON.parse(text)));
    },
  };
}

const REFUSED = devicePage({
  said: { text: 'Only the operator decides here: enter practice_key of operator.json.', isError: true },
  needsKey: true,
});

function decided(devices: DeviceLogins, form: URLSearchParams): [status: number, page: string] {
  const decision = form.get('decision') === 'approve' ? 'approve' : 'deny';
  if (!devices.decide(form.get('user_code') ?? '', decision))
    return [404, devicePage({ said: { text: 'No login waits for this code. It may have expired.', isError: true } })];
  const text = decision === 'approve' ? 'Approved. You can close this page.' : 'Denied. Nothing was linked.';
  return [200, devicePage({ said: { text, isError: false } })];
}

/** codex sends a form for a new login, and JSON for a refresh. */
async function grantOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const text = (await buffer(request)).toString();
  const isJson = request.headers['content-type']?.startsWith('application/json') === true;
  return isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text));
}

function sendPage(response: ServerResponse, status: number, page: string): true {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
  });
  response.end(page);
  return true;
}

function sendJson(response: ServerResponse, { status, body }: IssuerAnswer): true {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
  return true;
}

/** An answer of the issuer. */
interface IssuerAnswer {
  readonly status: number;
  readonly body: object;
}

/** The issuer's behaviour: for tests, and for rehearsing failures. */
const issuerSettingsSchema = z.strictObject({
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
class DeviceLogins {
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

/**
 * The page on which a person enters a one-time code.
 * @param page.said the result of the previous entry
 * @param page.needsKey whether the practice vendor's key is required too, as the connection doesn't identify its user
 */
function devicePage({
  said,
  needsKey = false,
}: {
  readonly said?: { readonly text: string; readonly isError: boolean };
  readonly needsKey?: boolean;
}): string {
  const key = needsKey
    ? '<label for="key">Key (<code>practice_key</code> in <code>operator.json</code>)</label>\n<input id="key" name="key" type="password" required autocomplete="off">'
    : '';
  const message = said === undefined ? '' : `<p role="${said.isError ? 'alert' : 'status'}">${said.text}</p>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Practice vendor: link a device</title>
<style>
  :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
  body { max-width: 28rem; margin: 10vh auto; padding: 0 1rem; }
  input { font: 1.5rem ui-monospace, monospace; letter-spacing: .1em; width: 100%; box-sizing: border-box; padding: .5rem; text-transform: uppercase; }
  button { font: inherit; padding: .5rem 1.25rem; margin: 1rem .5rem 0 0; }
  [role] { border-left: .25rem solid; padding-left: .75rem; }
</style>
</head>
<body>
<main>
<h1>Link a device</h1>
<p>This is the practice vendor of a local run: a stand-in for the real vendor's page. No account is behind it.</p>
${message}
<form method="post" action="/codex/device">
<label for="user_code">One-time code</label>
<input id="user_code" name="user_code" required autocomplete="off" spellcheck="false" aria-describedby="hint" autofocus>
<p id="hint">Only enter a code that you asked for yourself.</p>
${key}
<button name="decision" value="approve">Approve</button>
<button name="decision" value="deny">Deny</button>
</form>
</main>
</body>
</html>
`;
}
