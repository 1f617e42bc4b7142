import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from '../../client/api-types.ts';

/** The API's response schemas, by their names in openapi.json. */
export type Schemas = components['schemas'];

/** A deployment, as its clients see it. */
export interface Service {
  readonly api: Client<paths>;
  readonly baseUrl: string;
  /** Whether it runs on this machine, for fitting advice. */
  readonly isLocal: boolean;
}

/** Milliseconds. API Gateway times out after 29 s. */
const TIMEOUT_MS = 30_000;

/** @param baseUrl without `/api/v1`, as in local.json and a deployment's outputs */
export function openService(options: { baseUrl: string; token: string; isLocal: boolean }): Service {
  const baseUrl = options.baseUrl.replace(/\/+$/, '').replace(/\/api\/v1$/, '');
  const api = createClient<paths>({
    baseUrl,
    headers: { authorization: `Bearer ${options.token}` },
    fetch: (request) => fetch(request, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'manual' }),
  });
  return { api, baseUrl, isLocal: options.isLocal };
}

/** The service returned an error, or broke its API contract. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;

  constructor(path: string, response: Response, body: unknown) {
    const said = typeof body === 'object' && body !== null && 'error' in body ? body : undefined;
    const word = said === undefined ? 'without a body of ours' : JSON.stringify(said.error);
    const id = said !== undefined && 'request_id' in said ? `, request ${String(said.request_id)}` : '';
    super(`${path} was answered ${response.status} ${word}${id}`);
    this.status = response.status;
  }
}

/**
 * The data of a response.
 * @throws RefusedError; TypeError with the network error as its cause
 */
export async function dataOf<T>(
  path: string,
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok || data === undefined) throw new RefusedError(path, response, error);
  return data;
}
