import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import {
  ACCEPTED_CHANGES,
  breakingChanges,
  type ComparedDocument,
} from '../../lib/contract/openapi/openapi-changes.ts';

const read = (file: string) =>
  JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')) as ComparedDocument;

test('openapi.json breaks nothing of the version that was released', () => {
  const released = read('openapi.released.json');
  expect(Object.keys(released.paths).length).toBeGreaterThan(5);
  expect(breakingChanges(released, read('openapi.json'))).toEqual(Object.keys(ACCEPTED_CHANGES));
});

/** An API with one of everything that is compared. */
const api = () => ({
  paths: {
    '/things': {
      post: {
        operationId: 'createThing',
        'x-required-scope': 'write',
        security: [{ bearer: [] }, { cookie: [] }] as Record<string, string[]>[],
        parameters: [
          { name: 'limit', in: 'query', required: false, schema: { type: 'integer', minimum: 1, maximum: 9 } },
        ],
        requestBody: {
          required: false,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/NewThing' } } },
        },
        responses: {
          201: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
          404: { $ref: '#/components/responses/NotFound' },
          default: { content: { 'application/json': { schema: { type: 'object' } } } },
        } as Record<string, object>,
      },
    },
  },
  components: {
    schemas: {
      NewThing: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', maxLength: 9, nullable: true },
          color: { type: 'string', enum: ['red', 'blue'] },
        },
      },
      Thing: {
        type: 'object',
        required: ['id', 'state'],
        properties: {
          id: { type: 'string' },
          state: { type: 'string', enum: ['NEW', 'OLD'] },
          note: { type: 'string' },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
        },
      },
    },
    responses: { NotFound: { content: { 'application/json': { schema: { type: 'object' } } } } },
  },
});

// biome-ignore lint/suspicious/noExplicitAny: a test reaches into a document freely
type Change = (document: any) => void;
const after = (change: Change) => {
  const document = api();
  change(document);
  return breakingChanges(api() as ComparedDocument, document as ComparedDocument);
};

describe('a breaking change is found', () => {
  const cases: [string, Change, string][] = [
    ['a path removed', (d) => delete d.paths['/things'], 'POST /things: removed'],
    ['a method removed', (d) => delete d.paths['/things'].post, 'POST /things: removed'],
    ['an operation renamed', (d) => (d.paths['/things'].post.operationId = 'x'), 'operationId was createThing, is x'],
    ['another scope', (d) => (d.paths['/things'].post['x-required-scope'] = 'admin'), 'scope was write, is admin'],
    ['a scheme dropped', (d) => d.paths['/things'].post.security.pop(), 'the scheme cookie is no longer accepted'],
    ['a parameter removed', (d) => d.paths['/things'].post.parameters.pop(), 'query parameter limit is removed'],
    ['a parameter required', (d) => (d.paths['/things'].post.parameters[0].required = true), 'limit is required now'],
    ['a bound lowered', (d) => (d.paths['/things'].post.parameters[0].schema.maximum = 8), 'maximum was 9, is 8'],
    ['a bound raised', (d) => (d.paths['/things'].post.parameters[0].schema.minimum = 2), 'minimum was 1, is 2'],
    ['a body required', (d) => (d.paths['/things'].post.requestBody.required = true), 'a body is required now'],
    ['a field required', (d) => d.components.schemas.NewThing.required.push('color'), 'color: required now'],
    ['a new field required', (d) => d.components.schemas.NewThing.required.push('size'), 'size: required now'],
    [
      'a field removed from requests',
      (d) => delete d.components.schemas.NewThing.properties.color,
      'body.color: removed',
    ],
    ['a value no more allowed', (d) => d.components.schemas.NewThing.properties.color.enum.pop(), '"blue" is removed'],
    ['a text shortened', (d) => (d.components.schemas.NewThing.properties.name.maxLength = 8), 'maxLength was 9, is 8'],
    ['a pattern', (d) => (d.components.schemas.NewThing.properties.name.pattern = '^a'), 'name: pattern is ^a'],
    ['null refused', (d) => delete d.components.schemas.NewThing.properties.name.nullable, 'null is no longer allowed'],
    ['a field removed from answers', (d) => delete d.components.schemas.Thing.properties.note, '201.note: removed'],
    ['a field that may be missing', (d) => d.components.schemas.Thing.required.pop(), 'state: may be missing now'],
    ['a field that can be null', (d) => (d.components.schemas.Thing.properties.id.nullable = true), 'can be null now'],
    ['another type', (d) => (d.components.schemas.Thing.properties.id.type = 'integer'), 'type was string, is integer'],
    ['a state removed', (d) => d.components.schemas.Thing.properties.state.enum.pop(), '"OLD" is removed'],
    ['a status removed', (d) => delete d.paths['/things'].post.responses[404], 'the status 404 is removed'],
    ['`default` removed', (d) => delete d.paths['/things'].post.responses.default, 'the status default is removed'],
    [
      'a refusal with another body than `default` had',
      (d) => {
        const { responses } = d.paths['/things'].post;
        delete responses.default;
        responses[502] = { content: { 'text/plain': {} } };
      },
      '502: application/json is removed',
    ],
    ['a body dropped', (d) => delete d.components.responses.NotFound.content, '404: application/json is removed'],
  ];
  it.each(cases)('%s', (_, change, sentence) => {
    expect(after(change).join('\n')).toContain(sentence);
  });
});

describe('a compatible change is not reported', () => {
  const cases: [string, Change][] = [
    ['nothing', () => undefined],
    ['a path more', (d) => (d.paths['/others'] = {})],
    ['a parameter more', (d) => d.paths['/things'].post.parameters.push({ name: 'x', in: 'query' })],
    ['a bound loosened', (d) => (d.paths['/things'].post.parameters[0].schema.maximum = 10)],
    ['a field more in requests', (d) => (d.components.schemas.NewThing.properties.size = { type: 'integer' })],
    ['a field no longer required', (d) => d.components.schemas.NewThing.required.pop()],
    ['a value more', (d) => d.components.schemas.NewThing.properties.color.enum.push('green')],
    ['a field more in answers', (d) => (d.components.schemas.Thing.properties.size = { type: 'integer' })],
    ['a field always there', (d) => d.components.schemas.Thing.required.push('note')],
    [
      'the refusals that `default` stood for, named one by one',
      (d) => {
        const { responses } = d.paths['/things'].post;
        responses[502] = responses.default;
        delete responses.default;
      },
    ],
    ['a scheme more', (d) => d.paths['/things'].post.security.push({ telegram: [] })],
  ];
  it.each(cases)('%s', (_, change) => {
    expect(after(change)).toEqual([]);
  });
});
