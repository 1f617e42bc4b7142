import type { IncomingMessage } from 'node:http';

/** The parts of a request's AWS Signature Version 4. */
export interface SignedParts {
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
export function signedParts(request: IncomingMessage, query: URLSearchParams): SignedParts | undefined {
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
