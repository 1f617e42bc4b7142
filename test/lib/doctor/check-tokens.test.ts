import { expect, it } from 'vitest';
import type { TokenInfo } from '../../../lib/access/tokens/token-store.ts';
import { checkTokens, type EnforcementFacts } from '../../../lib/doctor/service/check-tokens.ts';

const NOW = '2026-11-20T12:00:00.000Z';
const OFF = { isEnforced: false, comesWithDeployment: false, now: Date.parse(NOW) };

const token = (name: string, scopes: TokenInfo['scopes'], more: Partial<TokenInfo> = {}): TokenInfo => ({
  ...{ id: `tok_${name}`, name, scopes, state: 'active', created_at: '2026-01-01T00:00:00.000Z' },
  ...more,
});

const linesOf = (tokens: TokenInfo[], facts: EnforcementFacts = OFF) =>
  checkTokens(tokens, facts).map(({ state, message }) => `${state} ${message}`);

it('tokens are reported with their scopes, their last use and the routes that they lose', () => {
  const used = { last_used_at: '2026-11-20T11:00:00.000Z' };
  const [first = '', second = '', ...others] = linesOf([
    token('nightly', ['read', 'write'], used),
    token('phone', ['write', 'read']),
    token('logs', ['read', 'write', 'logs', 'attachments']),
  ]);
  expect(others).toEqual([]);
  expect(first).toMatch(
    /^warning "nightly" \(tok_nightly, last used 2026-11-20T11:00:00.000Z\), "phone" \(tok_phone, never used\) have read, write; /,
  );
  expect(first).toContain('logs: GET /api/v1/jobs/{id}/result');
  expect(first).toContain('attachments: GET /api/v1/jobs/{id}/attachments');
  expect(first).toMatch(/admin: .*POST \/api\/v1\/config\/import/);
  expect(first).not.toContain('POST /api/v1/jobs,');
  expect(second).toMatch(/^warning "logs" .*; with enforcement they lose admin: /);
  // No token manages tokens, whatever its scopes.
  expect(first).not.toContain('/api/v1/tokens');
});

it('a deployment that is about to enforce scopes is announced; hidden characters of a name are not shown', () => {
  const facts = { ...OFF, isEnforced: undefined, comesWithDeployment: true };
  const [finding] = checkTokens([token('a\u202eb\u001b[2J', ['read'])], facts);
  expect(finding?.advice).toContain('The next deployment switches enforcement on');
  expect(finding?.message).toContain('"a\\u202eb\\u001b[2J"');
});
