import { expect, it } from 'vitest';
import { authorize, hasScope } from '../../../lib/access/authorize.ts';
import type { Principal } from '../../../lib/access/principal.ts';
import { ApiError } from '../../../lib/contract/errors.ts';
import { ROLES } from '../../../lib/contract/roles.ts';
import { routes } from '../../../lib/contract/routes/routes.ts';
import { SCOPES } from '../../../lib/contract/scopes.ts';

const OTHERS: Principal[] = [
  { kind: 'token', name: 'token:all', id: 'tok_1', scopes: SCOPES },
  { kind: 'perimeter', name: 'perimeter' },
  ...ROLES.map((role) => ({ kind: 'telegram', name: 'telegram:1', role }) as const),
  { kind: 'session', name: 'user:v', role: 'viewer', sessionId: 'ses_1' },
  { kind: 'session', name: 'user:o', role: 'operator', sessionId: 'ses_2' },
];
const ADMIN: Principal = { kind: 'session', name: 'user:a', role: 'admin', sessionId: 'ses_3' };

const managing = routes.filter(({ path }) => /^\/(tokens|sessions)(\/|$)/.test(path));

it('tokens and sessions are managed by signed-in administrators only', () => {
  expect(managing.length).toBeGreaterThan(6);
  for (const route of managing)
    for (const enforceScopes of [true, false]) {
      expect(() => authorize(ADMIN, route.auth, { enforceScopes })).not.toThrow();
      for (const principal of OTHERS)
        expect(() => authorize(principal, route.auth, { enforceScopes }), `${principal.name} ${route.id}`).toThrow(
          'forbidden',
        );
    }
});

it('what each principal may do, with scopes enforced and without', () => {
  const tokens = SCOPES.map((scope) => ({ kind: 'token', name: `token:${scope}`, id: 't', scopes: [scope] }) as const);
  const granted = (enforceScopes: boolean) =>
    Object.fromEntries(
      [...OTHERS, ADMIN, ...tokens].map((principal) => [
        'role' in principal ? `${principal.kind}:${principal.role}` : principal.name,
        SCOPES.filter((scope) => hasScope(principal, scope, { enforceScopes })).join(' '),
      ]),
    );
  const all = 'read write logs attachments admin';
  const people = {
    ...{ 'telegram:viewer': 'read logs attachments', 'session:viewer': 'read logs attachments' },
    ...{ 'telegram:operator': 'read write logs attachments', 'session:operator': 'read write logs attachments' },
    ...{ 'telegram:admin': all, 'session:admin': all, perimeter: all, 'token:all': all, 'token:admin': all },
  };
  const byScope = {
    'token:read': 'read',
    'token:write': 'write',
    'token:logs': 'logs',
    'token:attachments': 'attachments',
  };
  expect(granted(true)).toEqual({ ...people, ...byScope });
  const unlimited = Object.fromEntries(Object.keys(byScope).map((name) => [name, all]));
  expect(granted(false)).toEqual({ ...people, ...unlimited });
});

it('a refusal names the scope that is missing, or the principals that the route is limited to', () => {
  const refusal = (principal: Principal, route: Parameters<typeof authorize>[1]) => {
    try {
      return authorize(principal, route, { enforceScopes: true });
    } catch (error) {
      return error instanceof ApiError && { code: error.code, ...error.details };
    }
  };
  const [all, perimeter] = OTHERS as [Principal, Principal];
  const reader: Principal = { kind: 'token', name: 'token:r', id: 't', scopes: ['read'] };
  expect(refusal(reader, { scope: 'write' })).toEqual({ code: 'forbidden', required_scope: 'write' });
  expect(refusal(reader, { scope: 'write', only: 'tokens' })).toEqual({ code: 'forbidden', required_scope: 'write' });
  expect([refusal(reader, { scope: 'read' }), refusal(reader, { scope: 'read', only: 'tokens' })]).toEqual([
    undefined,
    undefined,
  ]);
  for (const principal of [perimeter, ADMIN])
    expect(refusal(principal, { scope: 'read', only: 'tokens' })).toEqual({
      ...{ code: 'forbidden', required_principal: 'an API token', required_scope: 'read' },
    });
  expect(refusal(all, { scope: 'read', only: 'admin-sessions' })).toEqual({
    ...{ code: 'forbidden', required_principal: 'a browser session of an admin', required_scope: 'read' },
  });
});
