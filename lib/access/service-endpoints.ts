import * as z from 'zod';
import { readPlace } from '../platform/aws/read-place.ts';
import type { ApiEnv } from '../platform/config/env.ts';
import { httpsOrLoopback, publicOrigin } from '../platform/config/env-fields.ts';

/** What only a later stack of a deployment knows, as it writes it down for the functions: members in the parameter's JSON. */
export const serviceEndpointsSchema = z.object({
  public_origin: publicOrigin,
  issuer: httpsOrLoopback.optional(),
  client_id: z.string().min(1).optional(),
});

/** The identity provider at which people sign in, and as whom it knows this service. */
export interface Registration {
  readonly issuer: string;
  readonly clientId: string;
}

type Known = Pick<
  ApiEnv,
  'PROMPTQ_PUBLIC_ORIGIN' | 'PROMPTQ_OIDC_ISSUER' | 'PROMPTQ_OIDC_CLIENT_ID' | 'PROMPTQ_WHEREABOUTS_AT'
>;

/** How long what was read is used without looking again, in milliseconds: a changed domain counts within this. */
const KEPT = 300_000;

/**
 * Where browsers find the service, and where people sign in. What the environment doesn't say is read when it is first
 * needed, so that nobody else waits for it; and again while it is not there yet.
 */
export class ServiceEndpoints {
  readonly #env: Known;
  readonly #now: () => number;
  #read:
    | { readonly found: Promise<z.output<typeof serviceEndpointsSchema> | undefined>; readonly at: number }
    | undefined;

  /** @param now milliseconds that never jump. */
  constructor(env: Known, now: () => number = () => performance.now()) {
    this.#env = env;
    this.#now = now;
  }

  /** Such as `https://promptq.example.com`; undefined: nobody has said so yet, and no browser can be answered. */
  async publicOrigin(): Promise<string | undefined> {
    return this.#env.PROMPTQ_PUBLIC_ORIGIN ?? (await this.#written())?.public_origin;
  }

  /** undefined: nobody can sign in. */
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
    if (this.#read === undefined || this.#now() - this.#read.at >= KEPT) {
      const found = readPlace(place).then((text) => text && serviceEndpointsSchema.parse(JSON.parse(text)));
      this.#read = { found: found.then((written) => written || undefined), at: this.#now() };
    }
    const reading = this.#read;
    const forget = () => {
      if (this.#read === reading) this.#read = undefined;
    };
    // Neither a failure nor its absence is kept: the stack that writes it may be under way.
    const written = await reading.found.catch((error: unknown) => {
      forget();
      throw error;
    });
    if (written === undefined) forget();
    return written;
  }
}
