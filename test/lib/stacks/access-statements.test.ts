import { describe, expect, test } from 'vitest';
import type { Route } from '../../../lib/contract/route.ts';
import { routes } from '../../../lib/contract/routes.ts';
import { ApiStack } from '../../../lib/stacks/api-stack.ts';
import { DataStack } from '../../../lib/stacks/data-stack.ts';
import { roleGrants } from './api-methods.ts';
import { codeOf, deployment, roleStatements, testApp, VERSION } from './synthesis.ts';

const app = testApp();
const data = new DataStack(app, 'data');
const stack = new ApiStack(app, 'api', { data, deployment: deployment(), version: VERSION, codeOf });
const { grantsOf, actionsOf, onTable } = roleGrants(stack);

describe("a route's role", () => {
  const served: Pick<Route, 'id' | 'access' | 'path'>[] = [
    ...routes,
    { id: 'not-found.answer', access: {}, path: '/{path}' },
  ];
  const expected = {
    jobs: { none: [], read: ['BatchGetItem', 'GetItem'], write: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'] },
    output: { none: [], read: ['GetObject', 'ListBucket'], write: ['GetObject', 'ListBucket', 'PutObject'] },
    permits: { none: [], send: ['GetQueueAttributes', 'SendMessage'] },
  } as const;

  test.each(served)('$id can do what its line declares and nothing else', ({ id, access, path }) => {
    const [jobs, lists, ...others] = onTable(id, 'Jobs');
    expect([...(jobs?.actions ?? [])].sort()).toEqual(
      expected.jobs[access.jobs ?? 'none'].map((action) => `dynamodb:${action}`),
    );
    expect(jobs?.resources.some((resource) => resource.includes('/index/')) ?? false).toBe(false);
    const aboutMany = access.jobs !== undefined && !path.includes('{');
    expect(lists?.actions).toEqual(aboutMany ? ['dynamodb:Query'] : undefined);
    expect(lists?.resources.map((resource) => /\/index\/([a-z-]+)/.exec(resource)?.[1]).sort()).toEqual(
      aboutMany ? ['by-status', 'by-time'] : undefined,
    );
    expect(others).toEqual([]);
    expect([...actionsOf(id, 's3')].sort()).toEqual(
      expected.output[access.output ?? 'none'].map((action) => `s3:${action}`),
    );
    expect([...actionsOf(id, 'sqs')].sort()).toEqual(
      expected.permits[access.permits ?? 'none'].map((action) => `sqs:${action}`),
    );
    const services = new Set(grantsOf(id).flatMap(({ actions }) => actions.map((action) => action.split(':')[0])));
    expect([...services].filter((service) => !['dynamodb', 's3', 'sqs'].includes(service ?? ''))).toEqual([]);
  });

  test.each(served)('$id reads tokens, notes their use, and can not change them', ({ id, access }) => {
    const [read, note, ...registry] = onTable(id, 'Registry');
    expect(read).toMatchObject({
      actions: ['dynamodb:GetItem'],
      condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['token'] } },
    });
    expect(note).toMatchObject({
      actions: ['dynamodb:UpdateItem'],
      condition: {
        'ForAllValues:StringEquals': {
          'dynamodb:LeadingKeys': ['token'],
          'dynamodb:Attributes': ['kind', 'id', 'last_used_at'],
        },
      },
    });
    const reads = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'];
    const writes = ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'];
    const allowed = { none: [], read: reads, write: [...reads, ...writes] }[access.registry ?? 'none'];
    expect(registry.flatMap(({ actions }) => actions).sort()).toEqual([...allowed].sort());
    for (const { condition } of registry) {
      expect(condition).toEqual({ 'ForAllValues:StringNotEquals': { 'dynamodb:LeadingKeys': ['token'] } });
    }
  });

  test('names what it is for: nothing is allowed on everything but what AWS can not limit', () => {
    const onEverything = [...roleStatements(stack).values()]
      .flat()
      .filter(({ resources }) => resources.includes('*'))
      .flatMap(({ actions }) => actions);
    expect(onEverything).toEqual(['dynamodb:ListStreams']);
    const wildcards = [...roleStatements(stack).values()]
      .flat()
      .flatMap(({ actions }) => actions.filter((action) => action.includes('*')));
    expect(wildcards).toEqual([]);
  });
});
