import { describe, expect, it } from 'vitest';
import {
  type Account,
  accountSchema,
  beaten,
  claimed,
  endedLogin,
  LOGIN,
  linked,
  needsWorker,
  renewed,
  started,
  unlinked,
  withoutLostLogin,
} from '../../../lib/accounts/account.ts';

const NOW = Date.parse('2026-11-20T10:00:00.000Z');
const BY = { id: 'one', workerId: 'worker-1', listener: { address: '127.0.0.1', port: 1, nonce: 'nonce' } };
const NONE = accountSchema.parse({});
const LINKED = accountSchema.parse({ credential: { file: 'old.json' }, generation: 4 });

function running(from: Account = NONE): Account {
  const account = claimed(started(from, 'one', NOW), BY, NOW);
  if (account === undefined) throw new Error('it was not to be taken');
  return account;
}

describe('a login', () => {
  it('is returned when another is started while it is pending', () => {
    const first = started(NONE, 'one', NOW);
    expect(started(first, 'two', NOW)).toBe(first);
    expect(started(endedLogin(first, 'one', { state: 'cancelled' }), 'two', NOW).login).toMatchObject({
      id: 'two',
      state: 'starting',
    });
  });

  it('is claimed by one worker', () => {
    const other = { ...BY, workerId: 'worker-2', listener: { ...BY.listener, nonce: 'another' } };
    expect(claimed(running(), other, NOW)).toBeUndefined();
  });

  it('stays claimed when the write of the claim is repeated, because its answer was lost', () => {
    const account = running();
    expect(claimed(account, BY, NOW + 1)).toBe(account);
    const cancelled = endedLogin(account, 'one', { state: 'cancelled' });
    expect(claimed(cancelled, BY, NOW + 1)).toBeUndefined();
  });

  it('has failed once its process has been silent for the length of its lease, and a beat puts that off', () => {
    const account = running();
    expect(withoutLostLogin(account, NOW + LOGIN.lease)).toBe(account);
    expect(withoutLostLogin(account, NOW + LOGIN.lease + 1).login).toMatchObject({ state: 'failed' });
    const later = beaten(account, 'one', 'awaiting_user', NOW + LOGIN.lease);
    expect(withoutLostLogin(later ?? NONE, NOW + LOGIN.lease + 1).login).toMatchObject({ state: 'awaiting_user' });
  });

  it('that no worker claims expires', () => {
    const account = started(NONE, 'one', NOW);
    expect(withoutLostLogin(account, NOW + LOGIN.unclaimed - 1)).toBe(account);
    expect(withoutLostLogin(account, NOW + LOGIN.unclaimed).login).toMatchObject({ state: 'expired' });
  });

  it("that has ended links nothing, and can't be kept alive", () => {
    const cancelled = endedLogin(running(), 'one', { state: 'cancelled' });
    expect(linked(cancelled, 'one', { file: 'new.json' })).toBeUndefined();
    expect(beaten(cancelled, 'one', 'awaiting_user', NOW)).toBeUndefined();
    expect(cancelled.login).not.toHaveProperty('listener');
  });

  it('that fails keeps the previous account linked', () => {
    expect(endedLogin(running(LINKED), 'one', { state: 'failed', error: 'x' })).toMatchObject({
      credential: { file: 'old.json' },
      generation: 4,
    });
  });

  it('that succeeds replaces the previous login, which is then revoked', () => {
    expect(linked(running(LINKED), 'one', { file: 'new.json' })).toMatchObject({
      login: { state: 'linked' },
      credential: { file: 'new.json' },
      generation: 5,
      discarded: ['old.json'],
    });
  });
});

describe('what is stored of a login', () => {
  const AT = '2026-11-20T10:00:00.000Z';
  const asked = { id: 'one', state: 'starting', requested_at: AT };
  const taken = { ...asked, worker_id: 'worker-1', listener: BY.listener, lease_until: '2026-11-20T10:00:30.000Z' };
  const { listener: _listener, lease_until: _lease, ...ended } = taken;

  it('is that it waits, then who runs it and until when, then how it ended', () => {
    expect(started(LINKED, 'one', NOW)).toEqual({ ...LINKED, login: asked });
    expect(running(LINKED)).toEqual({ ...LINKED, login: taken });
    expect(beaten(running(), 'one', 'awaiting_user', NOW + 9_000)?.login).toEqual({
      ...taken,
      state: 'awaiting_user',
      lease_until: '2026-11-20T10:00:39.000Z',
    });
    const failed = { state: 'failed', error: 'x' } as const;
    expect(endedLogin(running(), 'one', failed)).toEqual({ ...NONE, login: { ...ended, ...failed } });
    const link = { login: { ...ended, state: 'linked' }, credential: { file: 'new.json' }, generation: 1 };
    expect(linked(running(), 'one', { file: 'new.json' })).toEqual({ ...NONE, ...link, discarded: [] });
  });
});

describe('a renewed login', () => {
  it('counts only if the login that it renews is current', () => {
    expect(renewed(LINKED, 4, 'new.json')).toMatchObject({ credential: { file: 'new.json' }, generation: 5 });
    expect(renewed(LINKED, 3, 'new.json')).toBeUndefined();
    expect(renewed(unlinked(LINKED), 4, 'new.json')).toBeUndefined();
    expect(renewed(unlinked(LINKED), 5, 'new.json')).toBeUndefined();
  });
});

it('unlinking cancels a pending login, and has the credential revoked', () => {
  const account = unlinked(running(LINKED));
  expect(account).toMatchObject({ generation: 5, discarded: ['old.json'] });
  expect([account.login, account.credential]).toEqual([undefined, undefined]);
});

describe('a worker is needed', () => {
  it('for a pending login, and for each login to be revoked', () => {
    expect(needsWorker(started(NONE, 'one', NOW))).toBe(true);
    expect(needsWorker(running())).toBe(true);
    expect(needsWorker(unlinked(LINKED))).toBe(true);
  });
});
