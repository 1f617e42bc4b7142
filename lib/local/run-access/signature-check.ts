import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Hash } from '@smithy/core/serde';
import { getSigningKey, SignatureV4Base } from '@smithy/signature-v4';
import { hasForeignHost } from './foreign-callers.ts';
import type { RunCredentials } from './run-credentials.ts';

/**
 * The emulators of a local run listen on open ports of the machine, so they answer only requests that are signed with
 * the run's credentials. A request's signature is read from its header or its presigned URL, computed again, and
 * compared; a rejection has the format of the service that was called, so that an SDK reports the reason.
 */

/** The reason for a rejection, in AWS's words. */
interface Refusal {
  readonly code: 'AccessDenied' | 'InvalidAccessKeyId' | 'RequestTimeTooSkewed' | 'SignatureDoesNotMatch';
  readonly message: string;
}

/** AWS's limits: the clock skew of a signature, and the lifetime of a presigned URL. */
const SKEW_MS = 15 * 60_000;
const PRESIGNED_SECONDS = 7 * 24 * 3_600;

const SIGNING_KEYS = 20;

const Sha256 = Hash.bind(null, 'sha256');

const DENIED: Refusal = {
  code: 'AccessDenied',
  message: "This is an emulator of a local run. It answers only requests signed with the run's own credentials.",
};
const FOREIGN: Refusal = {
  code: 'AccessDenied',
  message: 'This is an emulator of a local run. It answers no web page, and no other host name than 127.0.0.1.',
};
const UNKNOWN_KEY: Refusal = { code: 'InvalidAccessKeyId', message: 'The access key ID is not that of the local run.' };
const EXPIRED: Refusal = { code: 'RequestTimeTooSkewed', message: 'The signature is too old, or of the future.' };
const MISMATCH: Refusal = { code: 'SignatureDoesNotMatch', message: 'The signature does not match the request.' };

/** Checks that requests are signed (AWS Signature Version 4) with this run's credentials, for its services. */
export class SignatureCheck extends SignatureV4Base {
  readonly #credentials: RunCredentials;
  readonly #services: ReadonlySet<string>;
  /** By day, region and service, of which a run has few: deriving a key costs more than the rest of the check. */
  readonly #signingKeys = new Map<string, KeyObject>();

  constructor(credentials: RunCredentials, services: readonly ('dynamodb' | 's3' | 'sqs')[]) {
    // Only S3 signs the path as it is sent. Other paths are `/` or a queue's, which need no escaping.
    super({ credentials, region: '', service: '', sha256: Sha256, uriEscapePath: false });
    this.#credentials = credentials;
    this.#services = new Set(services);
  }

  /**
   * @param body complete, if it has been read; otherwise the request's declared hash is trusted
   * @returns undefined: the request is signed by this run
   */
  async refusalOf(request: IncomingMessage, body?: Buffer): Promise<Refusal | undefined> {
    if (request.headers.origin !== undefined || hasForeignHost(request)) return FOREIGN;
    const [path = '', search = ''] = (request.url ?? '').split(/\?(.*)/s);
    const query = new URLSearchParams(search);
    const parts = signedParts(request, query);
    if (parts === undefined || !parts.signedHeaders.includes('host')) return DENIED;
    if (parts.accessKeyId !== this.#credentials.accessKeyId || !this.#services.has(parts.service)) return UNKNOWN_KEY;
    if (!isCurrent(parts, Date.now())) return EXPIRED;
    const bodyHash = body && hash('sha256', body, 'hex');
    const payloadHash = parts.payloadHash ?? bodyHash;
    const isBody = bodyHash === undefined || payloadHash === bodyHash || parts.payloadHash === 'UNSIGNED-PAYLOAD';
    if (payloadHash === undefined || !isBody) return MISMATCH;
    const expected = await this.#signature(request, parts, { path, query, payloadHash });
    const given = Buffer.from(parts.signature, 'hex');
    return given.length === expected.length && timingSafeEqual(given, expected) ? undefined : MISMATCH;
  }

  async #signature(
    { method = '', headers }: IncomingMessage,
    { day, region, service, date, signedHeaders }: SignedParts,
    { path, query, payloadHash }: { path: string; query: URLSearchParams; payloadHash: string },
  ): Promise<Uint8Array> {
    const canonicalHeaders = Object.fromEntries(
      signedHeaders.map((name) => [
        name,
        String(headers[name] ?? '')
          .trim()
          .replace(/\s+/g, ' '),
      ]),
    );
    const names = [...new Set(query.keys())].filter((name) => name !== 'X-Amz-Signature');
    const canonicalQuery = Object.fromEntries(names.map((name) => [name, query.getAll(name)]));
    const request = { method, protocol: 'http:', hostname: '', path, query: canonicalQuery, headers: {} };
    const canonical = this.createCanonicalRequest(request, canonicalHeaders, payloadHash);
    const scope = `${day}/${region}/${service}/aws4_request`;
    const toSign = `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash('sha256', canonical, 'hex')}`;
    return createHmac('sha256', await this.#signingKey(day, region, service))
      .update(toSign)
      .digest();
  }

  async #signingKey(day: string, region: string, service: string): Promise<KeyObject> {
    const scope = `${day}/${region}/${service}`;
    const known = this.#signingKeys.get(scope);
    if (known !== undefined) return known;
    const key = createSecretKey(await getSigningKey(Sha256, this.#credentials, day, region, service));
    if (this.#signingKeys.size >= SIGNING_KEYS) this.#signingKeys.clear();
    this.#signingKeys.set(scope, key);
    return key;
  }
}

/** Whether a signature has neither expired nor a time in the future. */
function isCurrent({ date, day, expiresIn }: SignedParts, now: number): boolean {
  const [, year, month, dayOfMonth, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const signedAt = Date.parse(`${year}-${month}-${dayOfMonth}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(signedAt) || !date.startsWith(day) || signedAt > now + SKEW_MS) return false;
  if (expiresIn === undefined) return signedAt >= now - SKEW_MS;
  return expiresIn > 0 && expiresIn <= PRESIGNED_SECONDS && signedAt + expiresIn * 1_000 >= now;
}

/** The parts of a request's AWS Signature Version 4. */
interface SignedParts {
  readonly accessKeyId: string;
  /** `20261231`, region and service from the credential's scope. */
  readonly day: string;
  readonly region: string;
  readonly service: string;
  /** In lower case. */
  readonly signedHeaders: readonly string[];
  /** Lower-case hexadecimal. */
  readonly signature: string;
  /** `20261231T235959Z` */
  readonly date: string;
  /** Seconds that a presigned URL is valid; undefined: the signature is in a header. */
  readonly expiresIn?: number;
  /** The body's declared SHA-256, `UNSIGNED-PAYLOAD` or `STREAMING-…`; undefined: the request has none. */
  readonly payloadHash: string | undefined;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=(?<credential>[^ ,]+), *SignedHeaders=(?<headers>[^ ,]+), *Signature=(?<signature>[0-9a-f]{64})$/;

/**
 * Reads the signature from the `Authorization` header, or from a presigned URL's query. @returns undefined: unsigned
 */
function signedParts(request: IncomingMessage, query: URLSearchParams): SignedParts | undefined {
  const { authorization, 'x-amz-date': date, 'x-amz-content-sha256': payloadHash } = request.headers;
  const found = AUTHORIZATION.exec(authorization ?? '')?.groups;
  if (found !== undefined)
    return parts({ ...found, date: single(date), payloadHash: single(payloadHash), expiresIn: undefined });
  if (authorization !== undefined || query.get('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256') return undefined;
  return parts({
    credential: query.get('X-Amz-Credential') ?? undefined,
    headers: query.get('X-Amz-SignedHeaders') ?? undefined,
    signature: query.get('X-Amz-Signature') ?? undefined,
    date: query.get('X-Amz-Date') ?? undefined,
    payloadHash: query.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD',
    expiresIn: Number(query.get('X-Amz-Expires') ?? Number.NaN),
  });
}

function parts(found: {
  credential?: string | undefined;
  headers?: string | undefined;
  signature?: string | undefined;
  date: string | undefined;
  payloadHash: string | undefined;
  expiresIn: number | undefined;
}): SignedParts | undefined {
  const [accessKeyId, day, region, service, end, ...more] = found.credential?.split('/') ?? [];
  const { headers, signature, date, payloadHash, expiresIn } = found;
  if (accessKeyId === undefined || day === undefined || region === undefined || service === undefined) return undefined;
  if (end !== 'aws4_request' || more.length > 0) return undefined;
  if (headers === undefined || signature === undefined || date === undefined) return undefined;
  const signedHeaders = headers.split(';');
  return {
    accessKeyId,
    day,
    region,
    service,
    signedHeaders,
    signature,
    date,
    payloadHash,
    ...(expiresIn !== undefined && { expiresIn }),
  };
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

/** Rejects a request in the format of its service, so that an SDK reports the reason. */
export function sendRefusal(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  const isJson = request.headers['x-amz-target'] !== undefined || request.method === 'OPTIONS';
  const body = isJson
    ? JSON.stringify({ __type: `com.amazon.coral.service#${refusal.code}`, message: refusal.message })
    : `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${refusal.code}</Code><Message>${refusal.message}</Message></Error>`;
  response.writeHead(403, {
    'content-type': isJson ? 'application/x-amz-json-1.0' : 'application/xml',
    'content-length': Buffer.byteLength(body),
    // The rest of the body is not read.
    connection: 'close',
  });
  response.end(body);
}

/**
 * Admits only requests that this run has signed to a server's listeners. Bodies are not read, so that they can be
 * streamed: the signed header gives their hash.
 */
export function admitSigned(server: Server, check: SignatureCheck): void {
  const listeners = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request, response) => {
    check.refusalOf(request).then(
      (refusal) => {
        if (refusal !== undefined) return sendRefusal(request, response, refusal);
        for (const listener of listeners) Reflect.apply(listener, server, [request, response]);
      },
      () => response.destroy(),
    );
  });
}
