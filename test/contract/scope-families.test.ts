import { expect, it } from 'vitest';
import { BASE_PATH } from '../../lib/contract/route.ts';
import { routes } from '../../lib/contract/routes/routes.ts';
import { SCOPE_FAMILIES, unmappedScope } from '../../lib/contract/scope-families.ts';

it.each(SCOPE_FAMILIES)('reading %s asks for read, changing it for write', (family) => {
  for (const path of [`/api/v1/${family}`, `/api/v1/${family}/7`, `/api/v1/${family}/`]) {
    const scopes = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => unmappedScope(method, path));
    expect(scopes).toEqual(['read', 'read', 'write', 'write', 'write', 'write']);
  }
});

it('reading what a terminal has written asks for logs', () => {
  const output = '/api/v1/terminal-sessions/7/output';
  expect(unmappedScope('GET', output)).toBe('logs');
  expect(unmappedScope('GET', `${output}/tail`)).toBe('logs');
  expect(unmappedScope('POST', output)).toBe('write');
  expect(unmappedScope('GET', '/api/v1/terminal-sessions/output')).toBe('read');
});

it('whatever else asks for admin', () => {
  for (const path of [
    '/',
    '/api',
    '/api/v1',
    '/api/v1/',
    '/api/v1/nowhere',
    '/api/v1/templatesx',
    '/api/v2/templates',
  ]) {
    expect(unmappedScope('GET', path), path).toBe('admin');
  }
  expect(unmappedScope('DELETE', '/api/v1/jobs')).toBe('admin');
  expect(unmappedScope('OPTIONS', '/api/v1/templates')).toBe('admin');
  expect(unmappedScope('toString', '/api/v1/templates')).toBe('admin');
});

it('no family has a route: its scope would then be in two places', () => {
  const families = new Set<string>(SCOPE_FAMILIES);
  expect(routes.filter(({ path }) => families.has(path.split('/')[1] ?? '')).map(({ id }) => id)).toEqual([]);
  expect(BASE_PATH).toBe('/api/v1');
});
