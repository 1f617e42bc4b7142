import { isErrorBody, RequestError, UnreachableError } from './errors.ts';

/** What a call of openapi-fetch resolves to. */
export interface Answer<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * The data of a response.
 * @throws RequestError for an error of the API; UnreachableError for the response of another server
 */
export async function dataOf<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, response } = await answerOf(call);
  if (data === undefined && response.status !== 204) throw foreign(response);
  return data as T;
}

/** The same, with the response. `data` is the body of a streamed one. */
export async function answerOf<T>(call: Promise<Answer<T>>): Promise<Answer<T>> {
  const answer = await call.catch((error: unknown) => {
    if (error instanceof SyntaxError)
      throw new UnreachableError('the response is not of a Promptq service', { cause: error });
    throw error;
  });
  const { error, response } = answer;
  if (response.ok) return answer;
  const body = typeof error === 'string' ? parsed(error) : error;
  if (isErrorBody(body)) throw new RequestError(response.status, body);
  throw foreign(response);
}

function foreign({ status, headers }: Response): UnreachableError {
  const target = headers.get('location');
  const where = target === null ? '' : `; it redirects to ${target}`;
  return new UnreachableError(`the response ${status} is not of a Promptq service${where}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
