import type { APIGatewayProxyEvent } from 'aws-lambda';

/** Whether the request's Accept header names a media type (in lower case); wildcards don't count. */
export function acceptsByName(event: Pick<APIGatewayProxyEvent, 'headers'>, mediaType: string): boolean {
  return Object.entries(event.headers)
    .filter(([name]) => name.toLowerCase() === 'accept')
    .flatMap(([, value]) => (value ?? '').toLowerCase().split(','))
    .map((range) => range.split(';').map((part) => part.trim()))
    .some(([type, ...parameters]) => type === mediaType && !parameters.some((one) => /^q=0(\.0*)?$/.test(one)));
}
