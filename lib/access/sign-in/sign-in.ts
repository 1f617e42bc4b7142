import type { IDToken } from 'openid-client';
import * as z from 'zod';
import { ROLES, type Role } from '../../contract/roles.ts';
import type { Clock } from '../../platform/aws/table-clock.ts';
import type { Session, SessionStore, SignInPlace } from '../sessions/session-store.ts';
import { type IdentityProvider, SignInRefusedError } from './identity-provider.ts';
import { beginSignIn, resumeSignIn, type SignInProof } from './pending-sign-in.ts';

/** The result of a browser's return from the identity provider. */
export type SignInOutcome =
  /** This browser did not start such a sign-in, or it has expired or finished. */
  | { readonly kind: 'unknown' }
  /** `slot` names the sign-in's cookie, which is now used up. */
  | (FinishedSignIn & { readonly slot: string; readonly returnTo: string });

type FinishedSignIn =
  /** `cookie` proves the session. */
  | { readonly kind: 'signed-in'; readonly session: Session; readonly cookie: string }
  /** `why` is the identity provider's own text. */
  | { readonly kind: 'refused'; readonly why: string }
  /** Authenticated, but in no group that has a role here. */
  | { readonly kind: 'no-role'; readonly person: SignedIn };

/** Signs people in: takes a browser from the redirect to the identity provider to a session. */
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
   * Starts a sign-in. Nothing is stored on the server: the browser keeps `secret`.
   * @param options.secrets of the browser's pending sign-ins, by slot
   * @param options.fresh prompts even a person who is signed in at the identity provider
   * @throws IdentityProviderError
   */
  async begin(options: { returnTo: string; secrets: ReadonlyMap<string, string>; fresh: boolean }) {
    const { returnTo, secrets, fresh } = options;
    const taken = new Set(secrets.keys());
    const { proof, slot, secret } = beginSignIn({ returnTo, taken, now: this.#clock.now() });
    return { location: await this.#provider.authorizationUrl(proof, { fresh }), slot, secret };
  }

  /** Whether the identity provider supports sign-out. */
  get canForget(): boolean {
    return this.#provider.canForget;
  }

  /**
   * The identity provider's sign-out URL; undefined if it has none.
   * @param returnTo where the browser returns to
   * @throws IdentityProviderError
   */
  async forgetUrl(returnTo: string): Promise<string | undefined> {
    return await this.#provider.signOutUrl(returnTo);
  }

  /**
   * Completes a sign-in.
   * @param options.query of the URL that the browser was sent to
   * @param options.secrets of its pending sign-ins, by slot
   * @param options.formerSession cookie of the current session, which ends when a new one starts
   * @param options.place is stored with the session
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

  /** The identity provider accepts each code once. */
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

/** The person that an ID token identifies. */
interface SignedIn {
  readonly subject: string;
  /** Only if the identity provider has verified it: actions are recorded under this address. */
  readonly email: string | undefined;
  /** undefined: none of the person's groups has a role here. */
  readonly role: Role | undefined;
}

interface RoleSettings {
  /** The claim with the person's groups. */
  readonly claim: string;
  readonly groups: ReadonlyMap<Role, string>;
}

/** Some identity providers send a single group as a string, and `true` as the string `true`. */
const groupsSchema = z.union([z.array(z.string()), z.string().transform((group) => [group])]).catch([]);
const isTrue = z.literal([true, 'true']);

/** Reads the person from an ID token; of several groups, the one with the highest role applies. */
export function personOfClaims(claims: IDToken, { claim, groups }: RoleSettings): SignedIn {
  const member = groupsSchema.parse(claims[claim] ?? []);
  const roles = ROLES.filter((role) => {
    const group = groups.get(role);
    return group !== undefined && member.includes(group);
  });
  const email = isTrue.safeParse(claims.email_verified).success ? z.email().safeParse(claims.email).data : undefined;
  return { subject: claims.sub, email, role: roles.at(-1) };
}
