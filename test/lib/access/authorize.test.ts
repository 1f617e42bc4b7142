import { expect, it } from 'vitest';
import { authorize } from '../../../lib/access/authorize.ts';
import type { Principal } from '../../../lib/access/principal.ts';
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
      expect(() => authorize(ADMIN, route, { enforceScopes })).not.toThrow();
      for (const principal of OTHERS)
        expect(() => authorize(principal, route, { enforceScopes }), `${principal.name} ${route.id}`).toThrow(
          'forbidden',
        );
    }
});
