import { createHash, timingSafeEqual } from 'node:crypto';
import { isWithin } from './caller-address.ts';
import type { DeploymentSecrets } from './deployment-secrets.ts';
import type { Principal } from './principal.ts';

/** The parts of a call that identify the caller. */
export interface CallerProof {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** See `callerAddress`. */
  readonly address: string | undefined;
}

export interface PerimeterSettings {
  readonly secrets: Pick<DeploymentSecrets, 'lines'>;
  /** CIDRs that the token is accepted from; empty: any address. */
  readonly sources: readonly string[];
}

/** Tokens accepted at once: the current one and, during a rotation, the next one. */
const MAX_TOKENS = 2;
/** Characters. Shorter tokens can be guessed and are ignored. */
const MIN_TOKEN_LENGTH = 32;

/** The perimeter principal, if the call carries a token that the deployment shares with its own proxy. */
export async function verifyPerimeter(
  { headers, address }: CallerProof,
  { secrets, sources }: PerimeterSettings,
): Promise<Principal | undefined> {
  const given = headers['x-perimeter-token']?.trim();
  if (!given) return undefined;
  const tokens = (await secrets.lines('perimeter-tokens')).filter((token) => token.length >= MIN_TOKEN_LENGTH);
  // Compares every hash in constant time, so that timing shows neither the length nor the position of a match.
  const matches = tokens.slice(0, MAX_TOKENS).map((token) => timingSafeEqual(hash(token), hash(given)));
  if (!matches.includes(true)) return undefined;
  if (sources.length > 0 && (address === undefined || !isWithin(address, sources))) return undefined;
  return { kind: 'perimeter', name: 'perimeter' };
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
