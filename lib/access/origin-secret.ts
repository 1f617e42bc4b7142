import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { keepSecret, readParameter, removeParameters } from '../platform/aws/parameters.ts';
import { ORIGIN_SECRET_HEADER } from '../platform/config/edge-headers.ts';
import type { Headers } from './authenticate.ts';

/**
 * The origin secret proves to the functions that a request came through the deployment's own distribution. A custom
 * resource makes one secret a version and the API Gateway key that is derived from it; functions know only digests, of
 * the current version and the previous one, so a deployment that rotates it rejects no request.
 */

/** SSM's limit for one DeleteParameters call. */
const NAMES_PER_REQUEST = 10;

/**
 * The secrets by which the distribution proves itself to the functions. Each version is a separate parameter that never
 * changes, so repeating a deployment or rolling it back has no effect.
 */
export class OriginSecrets {
  readonly #folder: string;

  /** @param folder of the parameters, such as `/promptq-data/origin-secret` */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Creates the secret of a version, unless it exists.
   * @returns digests of the accepted secrets: this version's and the previous one's, which the distribution may still
   *   send
   */
  async keep(version: number): Promise<string[]> {
    await keepSecret(this.#name(version), newSecret());
    if (version > 2) await this.#remove([version - 2]);
    const secrets = await Promise.all([version, version - 1].map(async (each) => await this.#read(each)));
    return secrets.filter((secret) => secret !== undefined).map(originDigest);
  }

  /** @throws Error if that version does not exist. */
  async value(version: number): Promise<string> {
    const secret = await this.#read(version);
    if (secret === undefined) throw new Error(`there is no origin secret of version ${version}`);
    return secret;
  }

  /**
   * The API Gateway key of a version: derived from its secret without revealing it, so nothing more is stored. A
   * version without a secret gets a key that is never sent: a deployment can start with a later version.
   */
  async gatewayKey(version: number): Promise<string> {
    return gatewayKeyOf((await this.#read(version)) ?? newSecret());
  }

  /** Removes all secrets up to a version. */
  async removeAll(version: number): Promise<void> {
    await this.#remove(Array.from({ length: version }, (_, at) => at + 1));
  }

  async #read(version: number): Promise<string | undefined> {
    return version < 1 ? undefined : await readParameter(this.#name(version));
  }

  async #remove(versions: readonly number[]): Promise<void> {
    const names = versions.map((version) => this.#name(version));
    for (let at = 0; at < names.length; at += NAMES_PER_REQUEST)
      await removeParameters(names.slice(at, at + NAMES_PER_REQUEST));
  }

  #name(version: number): string {
    return `${this.#folder}/${version}`;
  }
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** API Gateway takes 20 to 128 letters and digits: 64 hexadecimal ones. */
function gatewayKeyOf(secret: string): string {
  return createHmac('sha256', secret).update('api gateway key').digest('hex');
}

/** The digest by which an origin secret is checked: it verifies the secret and can't be sent in its place. */
export function originDigest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/**
 * Whether a request came through the deployment's own distribution, which alone knows the secret.
 * @param digests of the accepted secrets: the current one and, during a rotation, the previous one
 */
export function cameThroughDistribution(headers: Headers, digests: readonly string[]): boolean {
  const given = Buffer.from(originDigest(headers[ORIGIN_SECRET_HEADER] ?? ''), 'hex');
  return digests.map((digest) => timingSafeEqual(Buffer.from(digest, 'hex'), given)).includes(true);
}
