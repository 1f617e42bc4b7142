import { expect, it } from 'vitest';
import { personOfClaims } from '../../../../lib/access/sign-in/sign-in.ts';

const groups = new Map([
  ['viewer', 'readers'],
  ['admin', 'chiefs'],
] as const);
const settings = { claim: 'cognito:groups', groups };
const claims = (more: Record<string, unknown>) =>
  ({ iss: 'https://idp', sub: 's1', aud: 'c', iat: 0, exp: 0, ...more }) as Parameters<typeof personOfClaims>[0];
const roleOf = (value: unknown) => personOfClaims(claims({ 'cognito:groups': value }), settings).role;

it('the role is that of the group that may do most', () => {
  expect(roleOf(['others', 'chiefs', 'readers'])).toBe('admin');
  expect(roleOf(['readers'])).toBe('viewer');
  expect(roleOf('readers')).toBe('viewer');
});

it('a user in none of the groups has no role, even if a group has the name of a role', () => {
  for (const value of [undefined, null, [], ['operator', 'admin', ''], 7, { admin: true }, [['chiefs']]]) {
    expect(roleOf(value), JSON.stringify(value)).toBeUndefined();
  }
});

it('an address counts if the identity provider vouches for it', () => {
  const emailOf = (more: Record<string, unknown>) => personOfClaims(claims(more), settings).email;
  expect(emailOf({ email: 'a@b.example', email_verified: true })).toBe('a@b.example');
  expect(emailOf({ email: 'a@b.example', email_verified: 'true' })).toBe('a@b.example');
  for (const email_verified of [false, 'false', undefined, 1])
    expect(emailOf({ email: 'a@b.example', email_verified })).toBeUndefined();
  expect(emailOf({ email: 'no address', email_verified: true })).toBeUndefined();
});
