import createClient from 'openapi-fetch';
import type { components, paths } from '../../../lib/client/api-types.ts';
import { ApiError } from './api-error.ts';
import { reach } from './reach.ts';

/** The types of the API, by their names in openapi.json. */
export type Schemas = components['schemas'];

/** Calls the API of this origin as the signed-in user. */
export const api = createClient<paths>({ baseUrl: '', credentials: 'same-origin', fetch: reach });

/**
 * The data of a response.
 * @throws ApiError with the service's message, or UnreachableError
 */
export async function dataOf<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok) throw ApiError.of(response, error);
  return data as T;
}
