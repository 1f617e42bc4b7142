import type { APIGatewayProxyEvent } from 'aws-lambda';
import { ApiError } from '../contract/errors.ts';
import type { Scope } from '../contract/scopes.ts';
import { TOKEN_PATTERN } from './api-tokens.ts';
import type { TokenStore } from './token-store.ts';

/** Who calls. */
export interface Principal {
  readonly kind: 'token';
  /** What is written down about who did something: `token:<name>`. */
  readonly name: string;
  readonly scopes: readonly Scope[];
}

/**
 * Finds out who calls.
 * @throws ApiError `unauthorized`, the same for whatever is wrong; also when a token stands in the URL, where logs and histories keep it.
 */
export async function authenticate(event: APIGatewayProxyEvent, tokens: TokenStore): Promise<Principal> {
  if (TOKEN_PATTERN.test(urlText(event))) throw ApiError.of('unauthorized');
  const text = tokenText(event.headers);
  const token = text === undefined ? undefined : await tokens.verify(text);
  if (token === undefined) throw ApiError.of('unauthorized');
  return { kind: 'token', name: `token:${token.name}`, scopes: token.scopes };
}

function tokenText(headers: APIGatewayProxyEvent['headers']): string | undefined {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const bearer = /^bearer +(\S+) *$/i.exec(byName.get('authorization') ?? '')?.[1];
  return bearer ?? byName.get('x-api-token')?.trim();
}

function urlText(event: APIGatewayProxyEvent): string {
  const query = Object.entries(event.multiValueQueryStringParameters ?? {}).flatMap(([name, values]) => [
    name,
    ...(values ?? []),
  ]);
  return [event.path, ...query].join(' ');
}
