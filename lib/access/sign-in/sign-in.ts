import type { Clock } from '../../platform/aws/table-clock.ts';
import type { Session, SessionStore, SignInPlace } from '../sessions/session-store.ts';
import { type IdentityProvider, SignInRefusedError } from './identity-provider.ts';
import { beginSignIn, resumeSignIn, type SignInProof } from './pending-sign-in.ts';
import { personOfClaims, type RoleSettings, type SignedIn } from './person-of-claims.ts';

/** What a browser came back with. */
export type SignInOutcome =
  /** This browser began no such sign-in, or too long ago, or has finished it. */
  | { readonly kind: 'unknown' }
  /** `slot` names the sign-in's cookie, which has served. */
  | (FinishedSignIn & { readonly slot: string; readonly returnTo: string });

type FinishedSignIn =
  /** `cookie` proves the session. */
  | { readonly kind: 'signed-in'; readonly session: Session; readonly cookie: string }
  /** The identity provider says why. */
  | { readonly kind: 'refused'; readonly why: string }
  /** Known to the identity provider, but in no group that has a role here. */
  | { readonly kind: 'no-role'; readonly person: SignedIn };

/** Signing in: from a browser without a session to one with a session. */
export class SignIn {
  readonly #provider: IdentityProvider;
  readonly #clock: Clock;
  readonly #sessions: SessionStore;
  readonly #roles: RoleSettings;

  constructor(options: { provider: IdentityProvider; clock: Clock; sessions: SessionStore; roles: RoleSettings }) {
    this.#provider = options.provider;
    this.#clock = options.clock;
    this.#sessions = options.sessions;
    this.#roles = options.roles;
  }

  /**
   * Begins a sign-in. Nothing is stored: the browser keeps `secret`.
   * @param options.secrets of the sign-ins that the browser has under way, by slot
   * @param options.fresh ask also a person who is signed in at the identity provider
   * @throws IdentityProviderError
   */
  async begin(options: { returnTo: string; secrets: ReadonlyMap<string, string>; fresh: boolean }) {
    const { returnTo, secrets, fresh } = options;
    const taken = new Set(secrets.keys());
    const { proof, slot, secret } = beginSignIn({ returnTo, taken, now: this.#clock.now() });
    return { location: await this.#provider.authorizationUrl(proof, { fresh }), slot, secret };
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
   * @param options.secrets of the sign-ins that it has under way, by slot
   * @param options.formerSession cookie of the session that it had until now, which ends if another begins
   * @param options.place is kept with the session
   * @throws IdentityProviderError
   */
  async finish(options: {
    query: URLSearchParams;
    secrets: ReadonlyMap<string, string>;
    formerSession: string | undefined;
    place: SignInPlace;
  }): Promise<SignInOutcome> {
    const { query, secrets } = options;
    const begun = resumeSignIn({ state: query.get('state') ?? '', secrets, now: this.#clock.now() });
    if (begun === undefined) return { kind: 'unknown' };
    const { slot, returnTo } = begun;
    return { ...(await this.#exchange(query, begun.proof, options)), slot, returnTo };
  }

  /** The identity provider accepts a code once. */
  async #exchange(
    query: URLSearchParams,
    proof: SignInProof,
    { formerSession, place }: { formerSession: string | undefined; place: SignInPlace },
  ): Promise<FinishedSignIn> {
    try {
      const person = personOfClaims(await this.#provider.claims(query, proof), this.#roles);
      const { role } = person;
      if (role === undefined) return { kind: 'no-role', person };
      const started = await this.#sessions.start({ ...person, role }, place);
      if (formerSession !== undefined) await this.#sessions.endByCookie(formerSession);
      return { kind: 'signed-in', ...started };
    } catch (error) {
      if (error instanceof SignInRefusedError) return { kind: 'refused', why: error.message };
      throw error;
    }
  }
}
