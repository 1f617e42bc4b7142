import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { ERRORS } from '../../contract/errors.ts';
import { SECURITY_HEADERS, TLS_ONLY_HEADERS } from '../../contract/security-headers.ts';

interface OwnAnswer {
  readonly type: ResponseType;
  /** Default: API Gateway's own status, which differs within a family of responses. */
  readonly status?: number;
  readonly error: string;
}

/** Responses that API Gateway sends before or instead of a function's. */
const OWN_ANSWERS: readonly OwnAnswer[] = [
  { type: ResponseType.REQUEST_TOO_LARGE, ...said('body_too_large') },
  { type: ResponseType.THROTTLED, ...said('too_many_requests') },
  { type: ResponseType.QUOTA_EXCEEDED, ...said('too_many_requests') },
  // API Gateway's name for an unknown path, whatever the caller sent.
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, ...said('not_found') },
  // The call bypassed the distribution, so it lacks the key.
  { type: ResponseType.INVALID_API_KEY, ...said('forbidden') },
  { type: ResponseType.RESOURCE_NOT_FOUND, ...said('not_found') },
  { type: ResponseType.INTEGRATION_TIMEOUT, ...said('timed_out') },
  { type: ResponseType.DEFAULT_4XX, error: 'the request could not be understood' },
  { type: ResponseType.DEFAULT_5XX, error: ERRORS.internal_error.word },
];

/**
 * `x-amazon-apigateway-gateway-responses`: gives API Gateway's own responses the API's shape and texts, because its
 * default message can echo a token. They are part of the document because an import replaces separate resources.
 */
export function gatewayResponses(): Readonly<Record<string, object>> {
  return Object.fromEntries(
    OWN_ANSWERS.map(({ type, status, error }) => [
      type.responseType,
      {
        ...(status !== undefined && { statusCode: String(status) }),
        responseParameters: Object.fromEntries(
          Object.entries(headersOf(status)).map(([name, value]) => [`gatewayresponse.header.${name}`, value]),
        ),
        responseTemplates: { 'application/json': JSON.stringify({ error, request_id: '$context.requestId' }) },
      },
    ]),
  );
}

function headersOf(status: number | undefined): Record<string, string> {
  return {
    ...quoted({ ...SECURITY_HEADERS, ...TLS_ONLY_HEADERS }),
    'x-request-id': 'context.requestId',
    ...(status === ERRORS.too_many_requests.status && quoted({ 'retry-after': '1' })),
  };
}

/**
 * API Gateway takes fixed values in single quotes, with no documented escape: values that contain such quotes are left
 * out.
 */
function quoted(headers: Readonly<Record<string, string>>): Record<string, string> {
  const plain = Object.entries(headers).filter(([, value]) => !value.includes("'"));
  return Object.fromEntries(plain.map(([name, value]) => [name, `'${value}'`]));
}

function said(code: 'body_too_large' | 'too_many_requests' | 'forbidden' | 'not_found' | 'timed_out') {
  return { status: ERRORS[code].status, error: ERRORS[code].word };
}
