import * as z from 'zod';
import { readPlace } from '../platform/aws/read-place.ts';
import type { ApiEnv } from '../platform/config/api-env.ts';
import { httpsOrLoopback, publicOrigin } from '../platform/config/env-fields.ts';

/** Facts that only a later stack of the deployment knows, as it writes them to the parameter (JSON). */
export const serviceEndpointsSchema = z.object({
  public_origin: publicOrigin,
  issuer: httpsOrLoopback.optional(),
  client_id: z.string().min(1).optional(),
});

/** The identity provider, and this service's registration with it. */
interface Registration {
  readonly issuer: string;
  readonly clientId: string;
}

type Known = Pick<ApiEnv, 'PROMPTQ_PUBLIC_ORIGIN' | 'PROMPTQ_WHEREABOUTS_AT'> &
  Partial<Pick<ApiEnv, 'PROMPTQ_OIDC_ISSUER' | 'PROMPTQ_OIDC_CLIENT_ID'>>;

/** Milliseconds that read values are cached: a changed domain takes effect within this time. */
const CACHE_MS = 300_000;

/**
 * The service's public origin and its identity provider. Values missing from the environment are read on first use, so
 * that only requests which need them wait, and again while they are absent.
 */
export class ServiceEndpoints {
  readonly #env: Known;
  readonly #now: () => number;
  #read:
    | { readonly found: Promise<z.output<typeof serviceEndpointsSchema> | undefined>; readonly at: number }
    | undefined;

  /** @param now monotonic milliseconds. */
  constructor(env: Known, now: () => number = () => performance.now()) {
    this.#env = env;
    this.#now = now;
  }

  /** Such as `https://promptq.example.com`; undefined: not known yet, so no browser can be served. */
  async publicOrigin(): Promise<string | undefined> {
    return this.#env.PROMPTQ_PUBLIC_ORIGIN ?? (await this.#written())?.public_origin;
  }

  /** undefined: sign-in is not configured. */
  async registration(): Promise<Registration | undefined> {
    const { PROMPTQ_OIDC_ISSUER: issuer, PROMPTQ_OIDC_CLIENT_ID: clientId } = this.#env;
    if (issuer !== undefined && clientId !== undefined) return { issuer, clientId };
    const written = await this.#written();
    if (written?.issuer === undefined || written.client_id === undefined) return undefined;
    return { issuer: written.issuer, clientId: written.client_id };
  }

  async #written() {
    const place = this.#env.PROMPTQ_WHEREABOUTS_AT;
    if (place === undefined) return undefined;
    if (this.#read === undefined || this.#now() - this.#read.at >= CACHE_MS) {
      const found = readPlace(place).then((text) => text && serviceEndpointsSchema.parse(JSON.parse(text)));
      this.#read = { found: found.then((written) => written || undefined), at: this.#now() };
    }
    const reading = this.#read;
    const forget = () => {
      if (this.#read === reading) this.#read = undefined;
    };
    // Neither a failure nor an absent value is cached: the stack that writes it may still be deploying.
    const written = await reading.found.catch((error: unknown) => {
      forget();
      throw error;
    });
    if (written === undefined) forget();
    return written;
  }
}
