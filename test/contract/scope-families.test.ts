import { expect, it } from 'vitest';
import { BASE_PATH } from '../../lib/contract/route.ts';
import { routes } from '../../lib/contract/routes/routes.ts';
import { SCOPE_FAMILIES, unmappedScope } from '../../lib/contract/scope-families.ts';

it.each([
  ['projects/p/diagrams', 'admin', 'write'],
  ['projects/p/parameters', 'admin', 'write'],
  ['terminal-sessions', 'write', 'write'],
])('reading %s asks for %s, changing it for %s', (family, read, change) => {
  for (const path of [`/api/v1/${family}`, `/api/v1/${family}/7`, `/api/v1/${family}/`]) {
    const scopes = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => unmappedScope(method, path));
    expect(scopes).toEqual([read, read, change, change, change, change]);
  }
});

it('reading what a terminal has written asks for logs', () => {
  const output = '/api/v1/terminal-sessions/7/output';
  expect(unmappedScope('GET', output)).toBe('logs');
  expect(unmappedScope('GET', `${output}/tail`)).toBe('logs');
  expect(unmappedScope('POST', output)).toBe('write');
  expect(unmappedScope('GET', '/api/v1/terminal-sessions/output')).toBe('write');
});

it('whatever else asks for admin', () => {
  for (const path of ['/', '/api', '/api/v1', '/api/v1/', '/api/v1/nowhere', '/api/v1/exportsx', '/api/v2/exports']) {
    expect(unmappedScope('GET', path), path).toBe('admin');
  }
  expect(unmappedScope('DELETE', '/api/v1/jobs')).toBe('admin');
  expect(unmappedScope('OPTIONS', '/api/v1/exports')).toBe('admin');
  expect(unmappedScope('toString', '/api/v1/exports')).toBe('admin');
});

it('a family with routes agrees with them: its scope is in two places', () => {
  const of = routes.filter(({ path }) => (path.split('/')[1] ?? '') in SCOPE_FAMILIES);
  for (const { method, path, auth } of of.filter((route) => route.method !== 'GET'))
    expect([path, unmappedScope(method, `${BASE_PATH}${path}`)]).toEqual([path, auth.scope]);
});
