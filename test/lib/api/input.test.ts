import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { parseInput } from '../../../lib/api/input.ts';
import type { Route } from '../../../lib/contract/route.ts';
import { readHealth } from '../../../lib/contract/routes/service.ts';

const aRoute = (parts: Partial<Route>): Route => ({ ...readHealth, ...parts });
const event = (parts: Partial<APIGatewayProxyEvent>) =>
  ({ pathParameters: null, headers: {}, body: null, isBase64Encoded: false, ...parts }) as APIGatewayProxyEvent;
const query = (multiValueQueryStringParameters: APIGatewayProxyEvent['multiValueQueryStringParameters']) =>
  event({ multiValueQueryStringParameters });

it('a parameter that is given twice is rejected, one without a value is not there', () => {
  expect(() => parseInput(readHealth, query({ verbose: ['1', '2'] }))).toThrow(
    'query: "verbose" was given 2 times; once is allowed',
  );
  expect(parseInput(readHealth, query({ verbose: undefined }))).toMatchObject({ query: {} });
});

it('a parameter with a name that objects have anyway is rejected as unknown', () => {
  const named = query(JSON.parse('{"__proto__":["1"]}'));
  expect(() => parseInput(readHealth, named)).toThrow('query: unknown "__proto__"; none is allowed');
  const route = aRoute({ query: z.object({ limit: z.coerce.number() }) });
  expect(() => parseInput(route, named)).toThrow('query: unknown "__proto__"; allowed: limit');
  expect(parseInput(route, query({ limit: ['5'] })).query).toEqual({ limit: 5 });
});

const text = z.object({ text: z.string().optional() });

it.each<[what: string, parts: Partial<APIGatewayProxyEvent>, why: string | RegExp]>([
  ['nothing', {}, 'received nothing; a JSON object is needed'],
  ['an empty text', { body: '' }, 'received nothing; a JSON object is needed'],
  ['an array', { body: '[]' }, 'received an array; a JSON object is needed'],
  ['null', { body: 'null' }, 'received null; a JSON object is needed'],
  ['a number', { body: '5' }, 'received a number; a JSON object is needed'],
  ['half an object', { body: '{"text":' }, 'not valid JSON (Unexpected end of JSON input); a JSON object is needed'],
  ['what is not JSON', { body: 'secret' }, "not valid JSON (Unexpected token 's'); a JSON object is needed"],
])('a body is rejected without repeating it: %s', (_what, parts, why) => {
  expect(() => parseInput(aRoute({ body: text }), event(parts))).toThrow(
    expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(`body: ${why}`) }),
  );
});
