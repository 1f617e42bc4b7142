import type { APIGatewayProxyEvent } from 'aws-lambda';

/**
 * The values of a request's path parameters, decoded once: API Gateway's REST APIs hand them over as the client encoded
 * them. A value with a malformed escape stays as it is, so that it names nothing that exists.
 */
export function pathParametersOf({ pathParameters }: APIGatewayProxyEvent): Record<string, string> {
  const encoded = Object.entries(pathParameters ?? {});
  return Object.fromEntries(encoded.map(([name, value = '']) => [name, decoded(value)]));
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
