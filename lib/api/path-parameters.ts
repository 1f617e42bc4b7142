import type { APIGatewayProxyEvent } from 'aws-lambda';

/**
 * The path parameters, decoded once: API Gateway's REST APIs pass them on as the client encoded them. A value with a
 * malformed escape stays unchanged, so that it matches nothing.
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
