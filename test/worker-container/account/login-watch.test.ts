import { Logger } from '@aws-lambda-powertools/logger';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Account, claimed, endedLogin, LOGIN, type Login, started } from '../../../lib/accounts/account.ts';
import type { AccountStore } from '../../../lib/accounts/account-store.ts';
import { LoginWatch } from '../../../worker-container/account/login-watch.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const by = { id: 'login', workerId: 'worker', listener: { address: '10.0.0.1', port: 4000, nonce: 'n' } };
const log = new Logger({ logLevel: 'SILENT' });

let account: Account;
let watch: LoginWatch;
const onUnwanted = vi.fn<() => void>();
const accounts = {
  read: async () => account,
  change: async (_vendor: string, update: (known: Account, now: number) => Account | undefined) => {
    const next = update(account, Date.now());
    if (next !== undefined) account = next;
    return next;
  },
} as unknown as AccountStore;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW, toFake: ['setInterval', 'clearInterval', 'performance', 'Date'] });
  const running = claimed(started({ version: 1, generation: 0, discarded: [] }, by.id, NOW), by, NOW);
  if (running?.login === undefined) throw new Error('not claimed');
  account = running;
  watch = new LoginWatch({ accounts, vendor: 'codex', log }, running.login, onUnwanted);
});
afterEach(() => {
  watch.stop();
  onUnwanted.mockClear();
  vi.useRealTimers();
});

const leaseEnds = ({ lease_until: until = '' }: Partial<Login> = {}) => Date.parse(until) - NOW;

it('a login that was cancelled is noticed within a second', async () => {
  account = endedLogin(account, by.id, { state: 'cancelled' });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(onUnwanted).toHaveBeenCalled();
});

it('a login that is wanted renews its lease every three seconds, long before it is over', async () => {
  await vi.advanceTimersByTimeAsync(2_999);
  expect(leaseEnds(account.login)).toBe(LOGIN.lease);
  await vi.advanceTimersByTimeAsync(1);
  expect(leaseEnds(account.login)).toBe(LOGIN.lease + 3_000);
  expect(onUnwanted).not.toHaveBeenCalled();
});

it('a login that was replaced by another is not wanted any longer, and does not touch the lease of that one', async () => {
  const other = { ...by, id: 'other' };
  account = claimed(started({ ...account, login: undefined }, other.id, NOW), other, NOW) ?? account;
  await vi.advanceTimersByTimeAsync(3_000);
  expect(onUnwanted).toHaveBeenCalled();
  expect(account.login?.id).toBe('other');
  expect(leaseEnds(account.login)).toBe(LOGIN.lease);
});
