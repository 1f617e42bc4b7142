import { isDeepStrictEqual } from 'node:util';
import { IdentityProvider } from '../../access/sign-in/identity-provider.ts';
import { SignIn } from '../../access/sign-in/sign-in.ts';
import { readPlace } from '../../platform/aws/read-place.ts';
import type { Core } from './core.ts';

/** The path of the redirect URI. */
const CALLBACK = '/auth/callback';

/** Loads the sign-in service; undefined while the deployment has no identity provider. */
type SignInServices = () => Promise<SignIn | undefined>;

/**
 * Creates the sign-in service. It is reused, with the identity provider's cached configuration, until the deployment
 * changes its identity provider.
 * @param options.withSecret whether the client secret is needed and may be read
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
