import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { ERRORS } from '../../contract/errors.ts';
import { SECURITY_HEADERS, TLS_ONLY_HEADERS } from '../../contract/security-headers.ts';

interface OwnAnswer {
  readonly type: ResponseType;
  /** Without it API Gateway's own, which differs within a family of answers. */
  readonly status?: number;
  readonly error: string;
}

/** What API Gateway answers by itself, before or instead of our functions. */
const OWN_ANSWERS: readonly OwnAnswer[] = [
  { type: ResponseType.REQUEST_TOO_LARGE, ...said('body_too_large') },
  { type: ResponseType.THROTTLED, ...said('too_many_requests') },
  { type: ResponseType.QUOTA_EXCEEDED, ...said('too_many_requests') },
  // Its name for a path that it doesn't know, whatever the caller sent.
  { type: ResponseType.MISSING_AUTHENTICATION_TOKEN, ...said('not_found') },
  // A call that did not come through the distribution: without its key.
  { type: ResponseType.INVALID_API_KEY, ...said('forbidden') },
  { type: ResponseType.RESOURCE_NOT_FOUND, ...said('not_found') },
  { type: ResponseType.INTEGRATION_TIMEOUT, ...said('timed_out') },
  { type: ResponseType.DEFAULT_4XX, error: 'the request could not be understood' },
  { type: ResponseType.DEFAULT_5XX, error: ERRORS.internal_error.word },
];

/**
 * `x-amazon-apigateway-gateway-responses`: gives API Gateway's own responses our shape and our words, because its own
 * message can echo a token. They are part of the document because an import replaces those that are separate resources.
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

/** API Gateway takes a fixed value in single quotes. It says nowhere how one with such quotes is written: left out. */
function quoted(headers: Readonly<Record<string, string>>): Record<string, string> {
  const plain = Object.entries(headers).filter(([, value]) => !value.includes("'"));
  return Object.fromEntries(plain.map(([name, value]) => [name, `'${value}'`]));
}

function said(code: 'body_too_large' | 'too_many_requests' | 'forbidden' | 'not_found' | 'timed_out') {
  return { status: ERRORS[code].status, error: ERRORS[code].word };
}
