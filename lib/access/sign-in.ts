import { type IdentityProvider, SignInRefusedError } from './identity-provider.ts';
import { personOfClaims, type RoleSettings, type SignedIn } from './person-of-claims.ts';
import type { Session, SessionStore } from './session-store.ts';
import type { SignInStore } from './sign-in-store.ts';

/** What a browser came back with. */
export type SignInOutcome =
  /** `cookie` proves the session. */
  | { readonly kind: 'signed-in'; readonly session: Session; readonly cookie: string; readonly returnTo: string }
  /** This browser began no such sign-in, or too long ago, or has finished it. */
  | { readonly kind: 'unknown' }
  /** The identity provider says why. */
  | { readonly kind: 'refused'; readonly why: string; readonly returnTo: string }
  /** Known to the identity provider, but in no group that has a role here. */
  | { readonly kind: 'no-role'; readonly person: SignedIn; readonly returnTo: string };

/** Signing in: from a browser without a session to one with a session. */
export class SignIn {
  readonly #provider: IdentityProvider;
  readonly #signIns: SignInStore;
  readonly #sessions: SessionStore;
  readonly #roles: RoleSettings;

  constructor(options: {
    provider: IdentityProvider;
    signIns: SignInStore;
    sessions: SessionStore;
    roles: RoleSettings;
  }) {
    this.#provider = options.provider;
    this.#signIns = options.signIns;
    this.#sessions = options.sessions;
    this.#roles = options.roles;
  }

  /**
   * Begins a sign-in. `browser` is the cookie that binds it to the browser; `fresh`: ask also a person who is signed in
   * at the identity provider.
   * @throws IdentityProviderError
   */
  async begin(options: { returnTo: string; browser: string | undefined; fresh: boolean }) {
    const proof = await this.#signIns.begin(options.returnTo, options.browser);
    const location = await this.#provider.authorizationUrl(proof, { fresh: options.fresh });
    return { location, browser: proof.browser };
  }

  /** Whether the identity provider can be made to forget who signed in there. */
  get canForget(): boolean {
    return this.#provider.canForget;
  }

  /**
   * Where a browser is sent for that; undefined if that can't be.
   * @param returnTo where it comes back to
   * @throws IdentityProviderError
   */
  async forgetUrl(returnTo: string): Promise<string | undefined> {
    return await this.#provider.signOutUrl(returnTo);
  }

  /**
   * Takes a browser back.
   * @param options.query of the URL that it was sent to
   * @param options.formerSession cookie of the session that it had until now, which ends if another begins
   * @throws IdentityProviderError
   */
  async finish(options: {
    query: URLSearchParams;
    browser: string | undefined;
    formerSession: string | undefined;
  }): Promise<SignInOutcome> {
    const { query, browser, formerSession } = options;
    const begun = browser && (await this.#signIns.finish(query.get('state') ?? '', browser));
    if (!begun) return { kind: 'unknown' };
    const { returnTo } = begun;
    try {
      const person = personOfClaims(await this.#provider.claims(query, begun), this.#roles);
      const { role } = person;
      if (role === undefined) return { kind: 'no-role', person, returnTo };
      const started = await this.#sessions.start({ ...person, role });
      if (formerSession !== undefined) await this.#sessions.endByCookie(formerSession);
      return { kind: 'signed-in', ...started, returnTo };
    } catch (error) {
      if (error instanceof SignInRefusedError) return { kind: 'refused', why: error.message, returnTo };
      throw error;
    }
  }
}
