import * as z from 'zod';
import { CHALLENGE, ERRORS, type ErrorCode } from '../errors.ts';
import { errorBody } from '../schemas/service.ts';

/** A header of every response, with its description. */
export const REQUEST_ID_HEADER = { 'x-request-id': 'Id of the request in the logs.' };
const WWW_AUTHENTICATE_NOTE = `The authentication scheme: \`${CHALLENGE}\`. API Gateway renames the header to \`x-amzn-Remapped-WWW-Authenticate\`.`;
const REQUEST_ID_EXAMPLE = '0d6f1f0e-6d1b-4a53-9a43-6b1c8b1f4d52';

/** Examples of errors whose `error` is a sentence. */
const SENTENCES: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid_request: 'query: unknown "limt"; none is allowed',
  invalid_state: 'a job can be edited only while it is QUEUED; this one is RUNNING',
};

/** Shared error responses by name. Only an identical object becomes one component. */
const errorResponses = new Map<string, ReturnType<typeof newErrorResponse>>();

/** The response of a status that covers these errors. */
export function errorResponse(codes: readonly ErrorCode[]) {
  const id = codes
    .map((code) => `_${code}`.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()))
    .join('Or');
  const response = errorResponses.get(id) ?? newErrorResponse(id, codes);
  errorResponses.set(id, response);
  return response;
}

function newErrorResponse(id: string, codes: readonly ErrorCode[]) {
  const retryable = codes.some((code) => ERRORS[code].retryable);
  return {
    id,
    description: codes
      .map((code) => ERRORS[code].word ?? 'A sentence that describes what was received and what is allowed.')
      .join(' / '),
    headers: headersOf({
      ...REQUEST_ID_HEADER,
      ...(codes.includes('unauthorized') && { 'WWW-Authenticate': WWW_AUTHENTICATE_NOTE }),
      ...(retryable && { 'Retry-After': 'Seconds to wait before retrying.' }),
    }),
    content: {
      'application/json': {
        schema: errorBody,
        examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
      },
    },
  };
}

function errorExample(code: ErrorCode) {
  return {
    error: ERRORS[code].word ?? SENTENCES[code],
    ...(code === 'forbidden' && { details: { required_scope: 'write' } }),
    request_id: REQUEST_ID_EXAMPLE,
  };
}

/** The response of a status with which a route answers in another form too, besides these errors. */
export function eitherResponse(description: string, schema: z.ZodType, codes: readonly ErrorCode[]) {
  const { id: _, content, headers } = newErrorResponse('', codes);
  const { examples } = content['application/json'];
  return { description, headers, content: { 'application/json': { schema: z.union([schema, errorBody]), examples } } };
}

/** OpenAPI headers from names and descriptions. */
export function headersOf(descriptions: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' as const } },
    ]),
  );
}
