import { createPrivateKey, generateKeyPairSync, type JsonWebKey, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startIdentityProvider } from '../identity-provider/identity-provider.ts';
import type { Home } from './home.ts';
import { HomeError } from './home-error.ts';
import { type EnvBlock, signInSettings } from './local-env.ts';
import type { Shutdown } from './shutdown.ts';

const SECRET_FILE = 'oidc-client-secret';
const KEY_FILE = 'oidc-key.json';

/**
 * Enables sign-in: at the operator's own identity provider if the environment names one, otherwise at a local one.
 * @returns a function from the service's public origin to the functions' environment
 */
export async function startSignIn(options: {
  readonly home: Home;
  /** The environment of the local run's process. */
  readonly source: Readonly<Record<string, string | undefined>>;
  readonly token: string;
  /** This machine's host name for browsers of the service. */
  readonly hostname: string;
  /** The numbers that the operator has set. */
  readonly settings: { readonly signInPort: number | undefined };
  readonly log: (line: string) => void;
  readonly shutdown: Shutdown;
}): Promise<(publicOrigin: string) => EnvBlock> {
  const { home, source, token, settings, hostname, log, shutdown } = options;
  const own = signInSettings(source);
  if (own.PROMPTQ_OIDC_ISSUER !== undefined) return (publicOrigin) => ({ ...own, PROMPTQ_PUBLIC_ORIGIN: publicOrigin });
  const clientSecret = await home.keep(SECRET_FILE, () => randomBytes(32).toString('base64url'));
  const key = await home.keep(KEY_FILE, () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return JSON.stringify({ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' });
  });
  const provider = await startIdentityProvider({
    key: parseKey(key, join(home.path, KEY_FILE)),
    clientSecret,
    token,
    hostname,
    forwardedPort: settings.signInPort,
    log,
  });
  shutdown.add('service', provider.close);
  return (publicOrigin) => {
    provider.serve(publicOrigin);
    return {
      ...own,
      PROMPTQ_PUBLIC_ORIGIN: publicOrigin,
      PROMPTQ_OIDC_ISSUER: provider.issuer,
      PROMPTQ_OIDC_CLIENT_ID: provider.clientId,
      PROMPTQ_OIDC_CLIENT_SECRET_AT: `file:${join(home.path, SECRET_FILE)}`,
    };
  };
}

/** @throws HomeError if the file holds no private key */
function parseKey(text: string, file: string): JsonWebKey {
  try {
    const key: JsonWebKey = JSON.parse(text);
    createPrivateKey({ key, format: 'jwk' });
    return key;
  } catch (error) {
    throw new HomeError(`${file} holds no private key. Remove it: the next start makes a new one`, { cause: error });
  }
}
