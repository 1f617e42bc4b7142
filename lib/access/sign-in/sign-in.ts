import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import type { IDToken } from 'openid-client';
import * as z from 'zod';
import { ROLES, type Role } from '../../contract/roles.ts';
import type { Clock } from '../../platform/aws/table-clock.ts';
import type { Session, SessionStore, SignInPlace } from '../sessions/session-store.ts';
import { type IdentityProvider, type SignInProof, SignInRefusedError } from './identity-provider.ts';

/**
 * A sign-in is a redirect and a return. `begin` keeps nothing on the server: the state that goes to the identity
 * provider carries its expiry and return path under a MAC, and the key is in a cookie of the browser. `finish` checks
 * that the state returned to the same browser in time, exchanges the code for an ID token, reads the person and the
 * role from its claims, and starts a session, which replaces the browser's former one.
 */

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

/** The time between the redirect to the identity provider and its answer. */
export const SIGN_IN_TTL_SECONDS = 600;

/** Sign-ins that one browser can have in progress. Bounds the size of its Cookie header. */
const MAX_PENDING = 32;

/**
 * A pending sign-in, stored only in the browser. The state carries its expiry and return path under a MAC, keyed by a
 * secret that only the browser's cookie holds. Each sign-in has its own cookie, so tabs don't disturb each other.
 */
interface PendingSignIn {
  readonly proof: SignInProof;
  /** The sign-in cookie that holds the secret. */
  readonly slot: string;
  readonly secret: string;
}

/**
 * Starts a sign-in.
 * @param options.taken slots whose cookies the browser has sent
 * @param options.now milliseconds since 1970
 */
export function beginSignIn(options: { returnTo: string; taken: ReadonlySet<string>; now: number }): PendingSignIn {
  const slot = pickSlot(options.taken);
  const secret = randomBytes(32).toString('base64url');
  const expiresAt = options.now + SIGN_IN_TTL_SECONDS * 1000;
  const claims = `${slot}.${expiresAt}.${Buffer.from(options.returnTo).toString('base64url')}`;
  const state = `${claims}.${derive(secret, 'state', claims)}`;
  return { proof: proofOf(state, secret), slot, secret };
}

/**
 * Verifies a returned state.
 * @param options.secrets of the browser's sign-in cookies, by slot
 * @param options.now milliseconds since 1970
 * @returns undefined if this browser did not start it, or started it more than ten minutes ago
 */
export function resumeSignIn(options: {
  state: string;
  secrets: ReadonlyMap<string, string>;
  now: number;
}): (PendingSignIn & { readonly returnTo: string }) | undefined {
  const { state, secrets, now } = options;
  const parts = STATE.exec(state);
  if (parts === null) return undefined;
  const [, claims = '', slot = '', expiresAt, returnTo = '', mac = ''] = parts;
  const secret = secrets.get(slot);
  if (secret === undefined || !SECRET.test(secret)) return undefined;
  const expected = derive(secret, 'state', claims);
  if (!timingSafeEqual(Buffer.from(mac), Buffer.from(expected)) || Number(expiresAt) <= now) return undefined;
  return { proof: proofOf(state, secret), slot, secret, returnTo: Buffer.from(returnTo, 'base64url').toString() };
}

const STATE = /^((\d{1,2})\.(\d{1,15})\.([\w-]*))\.([\w-]{43})$/;
const SECRET = /^[\w-]{43}$/;

/** A random free slot, because tabs may start at the same time; any slot if none is free. */
function pickSlot(taken: ReadonlySet<string>): string {
  const all = Array.from({ length: MAX_PENDING }, (_, index) => String(index));
  const free = all.filter((slot) => !taken.has(slot));
  const candidates = free.length > 0 ? free : all;
  return candidates[randomInt(candidates.length)] ?? '0';
}

function proofOf(state: string, secret: string): SignInProof {
  return { state, nonce: derive(secret, 'nonce', state), codeVerifier: derive(secret, 'code-verifier', state) };
}

function derive(secret: string, use: string, text: string): string {
  return createHmac('sha256', secret).update(`${use}:${text}`).digest('base64url');
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
