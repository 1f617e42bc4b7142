import { createHash, timingSafeEqual } from 'node:crypto';
import { isWithin } from './caller-address.ts';
import type { DeploymentSecrets } from './deployment-secrets.ts';
import type { Principal } from './principal.ts';

/** What a call says about who makes it. */
export interface CallerProof {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** See `callerAddress`. */
  readonly address: string | undefined;
}

export interface PerimeterSettings {
  readonly secrets: Pick<DeploymentSecrets, 'lines'>;
  /** CIDRs from which the token counts; none: from everywhere. */
  readonly sources: readonly string[];
}

/** So many tokens count at once: the one in use and, while it is changed, the next one. */
const TOKENS = 2;
/** A shorter one could be guessed, and counts for nothing. */
const SHORTEST = 32;

/** The perimeter principal if the call carries one of the tokens that the deployment shares with its own proxy. */
export async function verifyPerimeter(
  { headers, address }: CallerProof,
  { secrets, sources }: PerimeterSettings,
): Promise<Principal | undefined> {
  const given = headers['x-perimeter-token']?.trim();
  if (!given) return undefined;
  const tokens = (await secrets.lines('perimeter-tokens')).filter((token) => token.length >= SHORTEST);
  // All are compared, by hash: neither length nor place nor which one is right shows in the time it takes.
  const matches = tokens.slice(0, TOKENS).map((token) => timingSafeEqual(hash(token), hash(given)));
  if (!matches.includes(true)) return undefined;
  if (sources.length > 0 && (address === undefined || !isWithin(address, sources))) return undefined;
  return { kind: 'perimeter', name: 'perimeter' };
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
