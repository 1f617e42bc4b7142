import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineRoute, defineRoutes, type Route } from '../../lib/contract/route.ts';

const spec = {
  id: 'things.read',
  method: 'GET',
  path: '/things/{id}',
  auth: { kind: 'principal', scope: 'read' },
  summary: 'Read a thing',
  description: 'One of them.',
  params: z.object({ id: z.string() }),
  responses: { 200: { description: 'The thing.' } },
  errors: [],
  mode: 'buffered',
  access: {},
} as const;

describe('an invalid route does not load', () => {
  test('a valid one does', () => {
    expect(defineRoute(spec)).toMatchObject({ id: 'things.read', query: undefined, body: undefined });
  });

  const wrong: readonly [string, Record<string, unknown>, string][] = [
    [
      'an unknown scope',
      { auth: { kind: 'principal', scope: 'reading' } },
      'unknown scope reading; known: read, write',
    ],
    ['an unknown method', { method: 'HEAD' }, 'unknown method HEAD'],
    ['an unknown error', { errors: ['lost'] }, 'unknown error lost'],
    ['a path parameter without a schema', { params: undefined }, 'the path parameter {id} has no schema'],
    [
      'a schema of a parameter that is not in the path',
      { path: '/things' },
      'the parameter id is not in the path /things',
    ],
    ['a malformed path', { path: 'things/{id}' }, 'malformed path things/{id}'],
    ['a path that ends with a slash', { path: '/things/{id}/' }, 'malformed path /things/{id}/'],
    ['an id that is no resource.verb', { id: 'readThings' }, 'the id must be resource.verb'],
    ['a body on GET', { body: z.object({}) }, 'GET takes no body'],
  ];

  test.each(wrong)('%s', (_, change, message) => {
    expect(() => defineRoute({ ...spec, ...change } as never)).toThrow(message);
  });
});

describe('a table with two routes for one thing does not load', () => {
  const route: Route = defineRoute(spec);

  test('two with one id', () => {
    const other: Route = { ...route, path: '/others/{id}' };
    expect(() => defineRoutes([route, other])).toThrow('id things.read is already taken by things.read');
  });

  test('two with one method and path', () => {
    expect(() => defineRoutes([route, { ...route, id: 'things.look' }])).toThrow('is already taken by things.read');
  });

  test('two that differ in the name of a path parameter alone', () => {
    const other: Route = { ...route, id: 'things.look', path: '/things/{name}' };
    expect(() => defineRoutes([route, other])).toThrow('GET /things/{} is already taken by things.read');
  });

  test('while one path can have several methods', () => {
    expect(defineRoutes([route, { ...route, id: 'things.delete', method: 'DELETE' }])).toHaveLength(2);
  });
});
