import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { DeviceLogins, type IssuerAnswer, issuerSettingsSchema } from './device-login.ts';
import { devicePage } from './device-page.ts';
import { PracticeLogins } from './logins.ts';

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
