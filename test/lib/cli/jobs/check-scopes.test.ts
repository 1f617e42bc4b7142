import { expect, it } from 'vitest';
import { lackOf } from '../../../../lib/cli/jobs/check-scopes.ts';

const caller = (more: object) =>
  ({ kind: 'token', scopes_enforced: true, scopes: ['write'], ...more }) as unknown as Parameters<typeof lackOf>[0];

it.each<[string, Parameters<typeof lackOf>[0], string | undefined]>([
  ['a token that may not even read itself', undefined, 'the token lacks the scope read; nothing was created'],
  ['a token without it', caller({}), 'the token lacks the scope read; nothing was created'],
  ['a token with it', caller({ scopes: ['write', 'read'] }), undefined],
  ['an administrator', caller({ scopes: ['admin'] }), undefined],
  ['a token whose scopes are not enforced', caller({ scopes_enforced: false }), undefined],
  ['a person', caller({ kind: 'user', scopes: null }), undefined],
])('the scopes that %s lacks for writing and reading a job are named', (_, known, lack) => {
  expect(lackOf(known, ['write', 'read'])).toBe(lack);
});

it('all scopes that a token lacks are named', () => {
  expect(lackOf(caller({ scopes: [] }), ['write', 'logs'])).toBe(
    'the token lacks the scopes write, logs; nothing was created',
  );
});
