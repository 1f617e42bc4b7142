import { isDeepStrictEqual } from 'node:util';
import { IdentityProvider } from '../../access/sign-in/identity-provider.ts';
import { SignIn } from '../../access/sign-in/sign-in.ts';
import { readPlace } from '../../platform/aws/read-place.ts';
import type { Core } from './core.ts';

/** Where the identity provider sends browsers back to. */
const CALLBACK = '/auth/callback';

/** Brings what signs people in; undefined while the deployment names no identity provider. */
export type SignInServices = () => Promise<SignIn | undefined>;

/**
 * Signing in. What is open already is used again, with what it knows of the identity provider, until the deployment
 * names another.
 * @param options.withSecret whether the secret that this service has with it is needed, and may be read
 */
export function createSignIn(core: Core, options: { withSecret: boolean }): SignInServices {
  let opened: { readonly at: object; readonly signIn: SignIn } | undefined;
  return async () => {
    const at = {
      origin: await core.serviceEndpoints.publicOrigin(),
      registration: await core.serviceEndpoints.registration(),
    };
    const { origin, registration } = at;
    if (origin === undefined || registration === undefined) return undefined;
    if (opened === undefined || !isDeepStrictEqual(opened.at, at)) {
      const place = options.withSecret ? core.env.PROMPTQ_OIDC_CLIENT_SECRET_AT : undefined;
      const provider = new IdentityProvider({
        ...registration,
        clientSecret: async () => (place === undefined ? undefined : (await readPlace(place))?.trim()),
        redirectUri: `${origin}${CALLBACK}`,
      });
      opened = { at, signIn: signInAt(provider, core) };
    }
    return opened.signIn;
  };
}

function signInAt(provider: IdentityProvider, { env, clock, sessions }: Core): SignIn {
  const roles = { claim: env.PROMPTQ_OIDC_ROLE_CLAIM, groups: env.PROMPTQ_OIDC_ROLES };
  return new SignIn({ provider, clock, sessions, roles });
}
