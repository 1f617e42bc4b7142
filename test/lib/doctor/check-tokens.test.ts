import { expect, it } from 'vitest';
import type { TokenInfo } from '../../../lib/access/tokens/token-store.ts';
import { checkTokens, type EnforcementFacts, examineTokens } from '../../../lib/doctor/service/check-tokens.ts';
import { openService } from '../../../lib/doctor/service/service.ts';
import { withService } from './stand-in-service.ts';

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

it('tokens that lose nothing are not reported: those with admin, and those that are not valid', () => {
  const tokens = [
    token('admin', ['admin']),
    token('suspended', ['read'], { state: 'suspended' }),
    token('revoked', ['read'], { state: 'revoked' }),
    token('expired', ['read'], { expires_at: NOW }),
  ];
  expect(linesOf(tokens)).toEqual(['ok no token loses anything when enforcement is switched on']);
  expect(linesOf([token('limited', ['read'])], { ...OFF, isEnforced: true })).toEqual(['ok are enforced']);
});

it('a deployment that is about to enforce scopes is announced; hidden characters of a name are not shown', () => {
  const facts = { ...OFF, isEnforced: undefined, comesWithDeployment: true };
  const [finding] = checkTokens([token('a\u202eb\u001b[2J', ['read'])], facts);
  expect(finding?.advice).toContain('The next deployment switches enforcement on');
  expect(finding?.message).toContain('"a\\u202eb\\u001b[2J"');
});

it('the tokens of a registry are judged by what its service says, if that answers', async () => {
  const table = { send: async () => ({ Items: [{ ...token('nightly', ['read']), hash: 'h' }] }) };
  const registry = { table, registryTable: 'registry', clock: { now: () => Date.parse(NOW) } };
  const lines = async (service: Parameters<typeof examineTokens>[1]['service'], comes?: boolean) =>
    (
      await examineTokens(registry as never, { service, ...(comes !== undefined && { comesWithDeployment: comes }) })
    ).map(({ message, advice = '' }) => `${message} ${advice}`);
  for (const [status, isEnforced, said] of [
    [200, true, /^are enforced/],
    [200, false, /^"nightly" \(tok_nightly, never used\) have read; .* This matters before/],
    [500, true, /^"nightly" .* This matters before/],
  ] as const) {
    const body = status === 200 ? { service: { scope_enforcement: isEnforced } } : { error: 'no' };
    const answer = () => ({ status, body });
    const found = await withService({ answer, isLocal: false }, async (service) => await lines(service));
    expect(found).toEqual([expect.stringMatching(said)]);
  }
  const gone = openService({ baseUrl: 'http://127.0.0.1:1', token: 't', isLocal: true });
  expect(await lines(gone)).toEqual([expect.stringMatching(/ This matters before/)]);
  expect(await lines(undefined, true)).toEqual([expect.stringMatching(/ The next deployment switches enforcement on/)]);
});
