import type { APIGatewayProxyEvent } from 'aws-lambda';
import { expect, it } from 'vitest';
import { parseInput } from '../../../lib/api/input.ts';
import { readHealth } from '../../../lib/contract/routes/service.ts';

const event = (multiValueQueryStringParameters: Record<string, string[]>) =>
  ({
    multiValueQueryStringParameters,
    pathParameters: { proxy: 'health' },
    headers: {},
  }) as unknown as APIGatewayProxyEvent;

it('a route without parameters rejects those of the query, and ignores what API Gateway adds to the path', () => {
  expect(parseInput(readHealth, event({}))).toMatchObject({ params: {}, query: {} });
  expect(() => parseInput(readHealth, event({ verbose: ['1'] }))).toThrow(/query: unknown "verbose"/);
});

it('a parameter that is given twice is rejected', () => {
  expect(() => parseInput(readHealth, event({ verbose: ['1', '2'] }))).toThrow(/"verbose" was given 2 times/);
});
