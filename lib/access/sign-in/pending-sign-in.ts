import { createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';

/** The time between the redirect to the identity provider and its answer. */
export const SIGN_IN_TTL_SECONDS = 600;

/** Sign-ins that one browser can have in progress. Bounds the size of its Cookie header. */
const MAX_PENDING = 32;

/** Proves one sign-in to the identity provider. Derived from the state and the browser's cookie. */
export interface SignInProof {
  readonly state: string;
  readonly nonce: string;
  /** PKCE's code verifier. */
  readonly codeVerifier: string;
}

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
