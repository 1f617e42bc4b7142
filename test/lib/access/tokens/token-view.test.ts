import { expect, it } from 'vitest';
import { enforcementOf, viewToken } from '../../../../lib/access/tokens/token-view.ts';

const TOKEN = { id: 'tok_1', name: 'ci', scopes: ['read' as const], created_at: '2030-01-01T00:00:00.000Z' };
const NOTE = 'Scopes are not enforced here: this token has full access.';

it('a token that was never used and never expires says so by null', () => {
  expect(viewToken({ ...TOKEN, state: 'active' }, true)).toEqual({
    ...TOKEN,
    ...{ state: 'active', scopes_enforced: true, scopes_note: null, expires_at: null, last_used_at: null },
  });
  const times = { expires_at: '2031-01-01T00:00:00.000Z', last_used_at: '2030-02-01T00:00:00.000Z' };
  expect(viewToken({ ...TOKEN, ...times, state: 'active' }, true)).toMatchObject(times);
});

it('where scopes are not enforced, each token that is or can become usable says that it has full access', () => {
  const noteOf = (state: 'active' | 'suspended' | 'revoked') => viewToken({ ...TOKEN, state }, false).scopes_note;
  expect([noteOf('active'), noteOf('suspended'), noteOf('revoked')]).toEqual([NOTE, NOTE, null]);
  expect(enforcementOf(true, true)).toEqual({ scopes_enforced: true, scopes_note: null });
});
