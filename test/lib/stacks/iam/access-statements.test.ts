import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Door } from '../../../../lib/contract/route.ts';
import { doors, routes } from '../../../../lib/contract/routes/routes.ts';
import { ApiStack } from '../../../../lib/stacks/api/api-stack.ts';
import { DataStack } from '../../../../lib/stacks/data/data-stack.ts';
import type { Served } from '../../../../lib/stacks/iam/access-statements.ts';
import { roleGrants } from '../api/api-methods.ts';
import { codeOf, deployment, roleStatements, testApp, VERSION } from '../synthesis.ts';

const app = testApp();
const data = new DataStack(app, 'data');
const stack = new ApiStack(app, 'api', { data, deployment: deployment(), version: VERSION, codeOf });
const { grantsOf, actionsOf, onTable } = roleGrants(stack);

/** A condition that names kinds of items and nothing else. */
const keys = z.strictObject({
  'ForAllValues:StringEquals': z
    .strictObject({ 'dynamodb:LeadingKeys': z.array(z.string()) })
    .transform((limits) => ({ LeadingKeys: limits['dynamodb:LeadingKeys'] })),
});

/** The only functions that create, list or end credentials. */
const PRINCIPAL_GRANTS: Record<string, (readonly [string, string])[]> = {
  'tokens.list': [['Query', 'token']],
  'tokens.create': [['PutItem', 'token']],
  'tokens.suspend': [['UpdateItem', 'token']],
  'tokens.resume': [['UpdateItem', 'token']],
  'tokens.revoke': [['UpdateItem', 'token']],
  'sessions.list': [['Query', 'session']],
  'sessions.end': [['DeleteItem', 'session']],
  'auth.callback': [
    ['PutItem', 'session'],
    ['DeleteItem', 'session'],
  ],
  'auth.sign-out': [['DeleteItem', 'session']],
};

/** The only functions that query indexes of the jobs table. */
const INDEXES: Record<string, readonly string[]> = {
  'jobs.list': ['by-status', 'by-time'],
  'jobs.read': ['ready'],
};

/** What functions may do with the rows of exports. */
const EXPORT_GRANTS = { read: ['GetItem', 'Query'], start: ['PutItem'], link: [], delete: ['DeleteItem'] } as const;

const REMOVAL = {
  none: { items: [], objects: [] },
  jobs: { items: ['DeleteItem'], objects: ['DeleteObject'] },
  output: { items: [], objects: ['DeleteObject', 'DeleteObjectVersion', 'ListBucketVersions'] },
} as const;

describe("a route's role", () => {
  const isAbout = (condition: unknown, kind: string) =>
    JSON.stringify(condition) === JSON.stringify({ 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [kind] } });
  const served: (Served & Pick<Door, 'id'>)[] = [
    ...doors,
    { id: 'not-found.answer', method: 'ANY', auth: { kind: 'principal' }, access: {} },
  ];
  const expected = {
    jobs: { none: [], read: ['BatchGetItem', 'GetItem'], write: ['BatchGetItem', 'GetItem', 'PutItem', 'UpdateItem'] },
    output: { none: [], read: ['GetObject', 'ListBucket'], write: ['GetObject', 'ListBucket', 'PutObject'] },
    loginCode: { none: [], read: ['InvokeFunction'] },
    feedReaders: { none: [], call: ['InvokeFunction'] },
    dispatchQueues: { none: [], send: ['GetQueueAttributes', 'SendMessage'] },
    exports: { read: [], start: [], link: ['GetObject', 'ListBucket'], delete: ['DeleteObject', 'ListBucket'] },
  } as const;

  test.each(served)('$id can do exactly what its line declares', ({ id, access }) => {
    const [jobs, lists, ...others] = onTable(id, 'Jobs');
    const exportUses = access.exports ?? [];
    const wakes = exportUses.some((use) => use === 'start' || use === 'link') ? ['InvokeFunction'] : [];
    const removal = REMOVAL[access.removal ?? 'none'];
    expect([...(jobs?.actions ?? [])].sort()).toEqual(
      [...removal.items, ...expected.jobs[access.jobs ?? 'none']].map((action) => `dynamodb:${action}`).sort(),
    );
    expect(jobs?.resources.some((resource) => resource.includes('/index/')) ?? false).toBe(false);
    const indexes = INDEXES[id];
    expect(lists?.actions).toEqual(indexes && ['dynamodb:Query']);
    expect(lists?.resources.map((resource) => /\/index\/([a-z\d-]+)/.exec(resource)?.[1]).sort()).toEqual(indexes);
    expect(others).toEqual([]);
    expect([...actionsOf(id, 's3')].sort()).toEqual(
      [
        ...removal.objects,
        ...expected.output[access.output ?? 'none'],
        ...exportUses.flatMap((use) => expected.exports[use]),
      ]
        .map((action) => `s3:${action}`)
        .sort(),
    );
    expect([...actionsOf(id, 'sqs')].sort()).toEqual(
      expected.dispatchQueues[access.dispatchQueues ?? 'none'].map((action) => `sqs:${action}`),
    );
    expect([...actionsOf(id, 'lambda')].sort()).toEqual(
      [
        ...expected.loginCode[access.loginCode ?? 'none'],
        ...expected.feedReaders[access.feedReaders ?? 'none'],
        ...wakes,
      ].map((action) => `lambda:${action}`),
    );
    const services = new Set(grantsOf(id).flatMap(({ actions }) => actions.map((action) => action.split(':')[0])));
    const known = ['dynamodb', 's3', 'sqs', 'ssm', 'lambda'];
    expect([...services].filter((service) => !known.includes(service ?? ''))).toEqual([]);
  });

  test.each(served)('$id reads the secrets of the deployment, by name', ({ id, access, method, auth }) => {
    const secrets = grantsOf(id).filter(({ actions }) => actions.some((action) => action.startsWith('ssm:')));
    const names = secrets.flatMap(({ actions, resources }) => {
      expect(actions).toEqual(['ssm:GetParameter']);
      return resources.map((resource) => /parameter(\/[^"]+)/.exec(resource)?.[1]);
    });
    const signIn = access.clientSecret === 'read' ? ['/data/oidc-client-secret'] : [];
    // A page asks for the origin, and so does whatever changes something in a session.
    const asksForOrigin = auth.kind === 'page' || method !== 'GET' || access.publicOrigin === 'read';
    const serviceEndpoints = asksForOrigin ? ['/data/whereabouts'] : [];
    expect(names.sort()).toEqual([
      ...signIn,
      '/data/perimeter-tokens',
      '/data/telegram-bot-token',
      ...serviceEndpoints,
    ]);
  });

  test.each(served)(
    '$id may add audit rows only if it is audited, and never change them',
    ({ id, access, audited = false }) => {
      const audit = onTable(id, 'Registry').filter(({ condition }) => isAbout(condition, 'audit'));
      expect(audit.flatMap(({ actions }) => actions)).toEqual([
        ...(audited ? ['dynamodb:PutItem'] : []),
        ...(access.audit === 'read' ? ['dynamodb:Query'] : []),
      ]);
    },
  );

  test.each(served)('$id reads tokens and sessions and records their use; only their routes change them', (route) => {
    const { id, access } = route;
    const [read, noteToken, noteSession, ...rest] = onTable(id, 'Registry');
    expect(read).toMatchObject({
      actions: ['dynamodb:GetItem'],
      condition: { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['token', 'session'] } },
    });
    const note = (kind: string, attributes: readonly string[]) => ({
      actions: ['dynamodb:UpdateItem'],
      condition: {
        'ForAllValues:StringEquals': {
          'dynamodb:LeadingKeys': [kind],
          'dynamodb:Attributes': ['kind', 'id', ...attributes],
        },
      },
    });
    expect(noteToken).toMatchObject(note('token', ['last_used_at']));
    expect(noteSession).toMatchObject(note('session', ['last_used_at', 'expires_at', 'expires_at_epoch']));

    const except = {
      'ForAllValues:StringNotEquals': {
        'dynamodb:LeadingKeys': ['token', 'session', 'audit', 'binding-secret', 'hook-secret', 'export'],
      },
    };
    const registry = rest.filter(({ condition }) => JSON.stringify(condition) === JSON.stringify(except));
    const reads = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query'];
    const writes = ['dynamodb:DeleteItem', 'dynamodb:PutItem', 'dynamodb:UpdateItem'];
    const allowed = { none: [], read: reads, write: [...reads, ...writes] }[access.registry ?? 'none'];
    expect(registry.flatMap(({ actions }) => actions).sort()).toEqual([...allowed].sort());

    const principals = rest.filter((grant) => !registry.includes(grant) && !isAbout(grant.condition, 'audit'));
    const pairs = principals.flatMap(({ actions, condition }) => {
      const { LeadingKeys: kinds } = keys.parse(condition)['ForAllValues:StringEquals'];
      return actions.flatMap((action) => kinds.map((kind) => [action.replace('dynamodb:', ''), kind]));
    });
    const ofSecrets = { none: [], read: ['GetItem'], write: ['DeleteItem', 'PutItem'] } as const;
    const secrets = ofSecrets[access.bindingSecrets ?? 'none'];
    const hooks = ofSecrets[access.hookSecrets ?? 'none'];
    const slots = access.followSlots === 'write' ? ['DeleteItem', 'PutItem'] : [];
    expect(pairs.sort()).toEqual(
      [
        ...(PRINCIPAL_GRANTS[id] ?? []),
        ...secrets.map((action) => [action, 'binding-secret']),
        ...hooks.map((action) => [action, 'hook-secret']),
        ...slots.map((action) => [action, 'follow-slot']),
        ...(access.jobs === 'write' ? [['UpdateItem', 'signal']] : []),
        ...(access.exports ?? []).flatMap((use) => EXPORT_GRANTS[use].map((action) => [action, 'export'])),
      ].sort(),
    );
  });

  // Logs make the worker store output sooner, and a read account keeps the code of its login.
  test('has no right to write for a GET, except the listed ones', () => {
    const writing = routes.filter(
      ({ method, access }) =>
        method === 'GET' && [access.jobs, access.registry, access.output].some((grant) => grant === 'write'),
    );
    expect(writing.map(({ id }) => id)).toEqual(['jobs.logs', 'codex-account.read']);
  });

  test("names its resources: only actions that AWS can't limit are allowed on everything", () => {
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
