import { expect, test } from 'vitest';
import { isLogin, secretsOfLogin } from '../../../worker-container/agents/codex-login.ts';

const login = (refresh_token: string) =>
  JSON.stringify({ tokens: { id_token: 'i', access_token: 'a', refresh_token }, last_refresh: '2026-11-26' });

test('a file with longer tokens than any vendor makes is no login: masking them would take gigabytes', () => {
  for (const [refresh, is] of [
    ['r'.repeat(4_000), true],
    ['?'.repeat(1_000_000), false],
  ] as const) {
    expect(isLogin(login(refresh))).toBe(is);
    expect(secretsOfLogin(login(refresh))).toEqual(is ? ['i', 'a', refresh] : []);
  }
});
