import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { Provider } from 'oidc-provider';
import { frame, PAGE_HEADERS } from '../../api/pages/page.ts';
import { ROLES } from '../../contract/roles.ts';
import { DEFAULT_GROUPS } from '../../platform/config/deployment.ts';

interface ProviderOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly key: object;
  /** The service's origin. */
  readonly publicOrigin: string;
  readonly token: string;
  /** Whether a connection is the operator's own. */
  readonly isOwn: (socket: Socket) => Promise<boolean>;
}

/** Seconds that every part of a sign-in is valid. */
const LIFETIME_SECONDS = 600;
/** Maximum form size in bytes; ours are shorter. */
const FORM_BYTES = 2_000;

/** Creates the identity provider: the library's endpoints, and the page on which the operator chooses a role. */
export function openProvider(options: ProviderOptions): RequestListener {
  const provider = createProvider(options);
  const library = provider.callback();
  const page = async (request: IncomingMessage, response: ServerResponse) => {
    // Throws unless this browser started the sign-in.
    await provider.interactionDetails(request, response);
    const isOwn = await options.isOwn(request.socket);
    if (request.method === 'GET') return choicePage(response, { ...options, needsToken: !isOwn });
    const form = new URLSearchParams(await shortText(request));
    const choice = CHOICES.find((known) => known === form.get('role'));
    const isOperator = isOwn || isToken(form.get('token') ?? '', options.token);
    if (choice === undefined || !isOperator || request.headers.origin !== options.issuer)
      return choicePage(response, { ...options, needsToken: !isOwn, refused: true });
    return await provider.interactionFinished(request, response, { login: { accountId: choice, remember: false } });
  };
  return (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void library(forgetful(request), response);
    page(request, response).catch(() => {
      response.writeHead(303, { location: `${options.publicOrigin}/auth/sign-in` }).end();
    });
  };
}

function createProvider({ issuer, clientId, clientSecret, key, publicOrigin }: ProviderOptions): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [`${publicOrigin}/auth/callback`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(32).toString('base64url')] },
    claims: { openid: ['sub', 'cognito:groups'], email: ['email', 'email_verified'] },
    scopes: ['openid', 'email', 'profile'],
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    ttl: {
      AccessToken: LIFETIME_SECONDS,
      AuthorizationCode: 60,
      Grant: LIFETIME_SECONDS,
      IdToken: LIFETIME_SECONDS,
      Interaction: LIFETIME_SECONDS,
      Session: LIFETIME_SECONDS,
    },
    findAccount: (_context, id) => {
      const choice = CHOICES.find((known) => known === id);
      return choice && { accountId: choice, claims: () => ({ sub: choice, ...claimsOf(choice) }) };
    },
    // The console's own requests need no consent.
    loadExistingGrant: async ({ oidc }) => {
      const { account, client } = oidc;
      if (account === undefined || client === undefined) return undefined;
      const grant = new oidc.provider.Grant({ accountId: account.accountId, clientId: client.clientId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
}

function claimsOf(choice: Choice) {
  return {
    email: `${choice}@promptq.local`,
    email_verified: true,
    'cognito:groups': choice === 'stranger' ? [] : [DEFAULT_GROUPS[choice]],
  };
}

/** The request without the library's cookies of earlier sign-ins: the operator may want another role. */
function forgetful(request: IncomingMessage): IncomingMessage {
  const cookies = (request.headers.cookie ?? '').split(/; */).filter((cookie) => !/^_session(\.sig)?=/.test(cookie));
  request.headers.cookie = cookies.join('; ');
  return request;
}

async function shortText(request: IncomingMessage): Promise<string> {
  if (Number(request.headers['content-length'] ?? FORM_BYTES + 1) > FORM_BYTES) return '';
  return await text(request);
}

function isToken(given: string, token: string): boolean {
  const hash = (value: string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(hash(given.trim()), hash(token));
}

/** The identities that the operator can choose: each role, and a person without one. */
export const CHOICES = [...ROLES, 'stranger'] as const;
export type Choice = (typeof CHOICES)[number];

/**
 * Renders the page with one button for each choice.
 * @param options.needsToken whether the operator has to prove their identity by the token
 * @param options.refused whether the previous attempt failed
 */
export function choicePage(
  response: ServerResponse,
  options: { publicOrigin: string; needsToken: boolean; refused?: boolean },
): void {
  const { publicOrigin, needsToken, refused = false } = options;
  response.writeHead(refused ? 403 : 200, {
    ...PAGE_HEADERS,
    // Browsers also check the target of a form's redirect.
    'content-security-policy': PAGE_HEADERS['content-security-policy'].replace("'self'", `'self' ${publicOrigin}`),
    // Otherwise browsers send the form's origin as `null`.
    'referrer-policy': 'same-origin',
  });
  const markup = [
    '<h1>Sign in to Promptq on this machine</h1>',
    '<form method="post">',
    ...(refused
      ? ['<p role="alert">That was not right. Give the token that was shown when the service started.</p>']
      : []),
    ...(needsToken ? [TOKEN_FIELD] : []),
    '<p><button name="role" value="admin" autofocus>Continue as the local administrator</button></p>',
    '<p>Or see what other roles can do:<br>',
    '<button name="role" value="operator">As an operator</button>',
    '<button name="role" value="viewer">As a viewer</button>',
    '<button name="role" value="stranger">Without a role</button></p>',
    '</form>',
  ];
  response.end(frame('Sign in', markup.join('\n')));
}

const TOKEN_FIELD = [
  '<p>The system does not tell whether it is you who asks, or another user of this machine.</p>',
  '<p><label>Token that was shown when the service started, also in <code>local.json</code> of its home:',
  '<input type="password" name="token" autocomplete="off" required></label></p>',
].join('\n');
