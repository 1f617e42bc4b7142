import { CHALLENGE, ERRORS, type ErrorCode } from '../errors.ts';
import { errorBody } from '../schemas/service.ts';

/** A header of every answer, with its meaning. */
export const REQUEST_ID_HEADER = { 'x-request-id': 'Id of this request in the log.' };
const WWW_AUTHENTICATE_NOTE = `How to prove who calls: \`${CHALLENGE}\`. API Gateway renames it to \`x-amzn-Remapped-WWW-Authenticate\`.`;
const REQUEST_ID_EXAMPLE = '0d6f1f0e-6d1b-4a53-9a43-6b1c8b1f4d52';

/** Errors that say what is wrong in a sentence. */
const SENTENCES: Readonly<Partial<Record<ErrorCode, string>>> = {
  invalid_request: 'query: unknown "limt"; none is allowed',
  invalid_state: 'a job can be edited only while it is QUEUED; this one is RUNNING',
};

/** The responses that routes share, by name: each must be one and the same object to become one component. */
const errorResponses = new Map<string, ReturnType<typeof newErrorResponse>>();

/** The description of a status that stands for these errors. */
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
      .map((code) => ERRORS[code].word ?? 'A sentence says what was received and what is allowed.')
      .join(' / '),
    headers: headersOf({
      ...REQUEST_ID_HEADER,
      ...(codes.includes('unauthorized') && { 'WWW-Authenticate': WWW_AUTHENTICATE_NOTE }),
      ...(retryable && { 'Retry-After': 'Seconds after which to try again.' }),
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

/** Describes headers by name and meaning. */
export function headersOf(descriptions: Readonly<Record<string, string>>) {
  return Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => [
      name,
      { description, schema: { type: 'string' as const } },
    ]),
  );
}
