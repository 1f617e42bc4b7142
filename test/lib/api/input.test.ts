import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { parseInput, rawBodyBytes } from '../../../lib/api/input.ts';
import type { ErrorCode } from '../../../lib/contract/errors.ts';
import type { Route } from '../../../lib/contract/route.ts';
import { readHealth } from '../../../lib/contract/routes/service.ts';

const aRoute = (parts: Partial<Route>): Route => ({ ...readHealth, ...parts });
const event = (parts: Partial<APIGatewayProxyEvent>) =>
  ({ pathParameters: null, headers: {}, body: null, isBase64Encoded: false, ...parts }) as APIGatewayProxyEvent;
const query = (multiValueQueryStringParameters: APIGatewayProxyEvent['multiValueQueryStringParameters']) =>
  event({ multiValueQueryStringParameters });

it('a route without parameters rejects those of the query, and ignores what API Gateway adds to the path', () => {
  const added = { pathParameters: { proxy: 'health' } };
  expect(parseInput(readHealth, { ...query({}), ...added })).toEqual({ params: {}, query: {}, headers: {}, body: {} });
  const route = aRoute({ params: z.object({ id: z.string() }) });
  expect(parseInput(route, event({ pathParameters: { id: 'a', proxy: 'b' } })).params).toEqual({ id: 'a' });
  expect(() => parseInput(readHealth, query({ verbose: ['1'] }))).toThrow(/query: unknown "verbose"/);
});

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

it('a route gets the headers that it reads, whatever the case of their names; an empty one is not there', () => {
  const route = aRoute({ headers: z.object({ 'if-match': z.string().optional(), accept: z.string().optional() }) });
  const headers = { 'IF-Match': '"a"', ACCEPT: '', Cookie: 'x' };
  expect(parseInput(route, event({ headers })).headers).toEqual({ 'if-match': '"a"' });
  expect(parseInput(readHealth, event({ headers })).headers).toEqual({});
});

it.each<[id: string, name: string, errors: ErrorCode[], code: string | undefined]>([
  ['i'.repeat(1_024), 'id', [], undefined],
  ['i'.repeat(1_025), 'id', [], 'not_found'],
  ['é'.repeat(513), 'id', ['job_not_found'], 'job_not_found'],
  ['i'.repeat(1_025), 'name', ['job_not_found'], 'not_found'],
])('an id that is too long for the table is one that no item has (%#)', (id, name, errors, code) => {
  const route = aRoute({ params: z.object({ [name]: z.string() }), errors });
  const parse = () => parseInput(route, event({ pathParameters: { [name]: encodeURIComponent(id) } })).params;
  if (code === undefined) expect(parse()).toEqual({ [name]: id });
  else expect(parse).toThrow(expect.objectContaining({ code }));
});

const text = z.object({ text: z.string().optional() });

it.each<[what: string, parts: Partial<APIGatewayProxyEvent>, body: object, route?: Partial<Route>]>([
  ['JSON', { body: '{"text":"é"}' }, { text: 'é' }],
  ['nothing where it is optional', {}, {}, { bodyOptional: true }],
  ['an empty text where it is optional', { body: '' }, {}, { bodyOptional: true }],
  ['what a route without a body ignores', { body: '[' }, {}, { body: undefined }],
])('a body is taken: %s', (_what, parts, body, route = {}) => {
  expect(parseInput(aRoute({ body: text, ...route }), event(parts)).body).toEqual(body);
});

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

it('the size of a body is that of its bytes', () => {
  expect([rawBodyBytes(event({})), rawBodyBytes(event({ body: 'é' }))]).toEqual([0, 2]);
});
