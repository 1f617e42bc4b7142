import { beforeEach, expect, it } from 'vitest';
import type { SessionStore } from '../../../../lib/access/sessions/session-store.ts';
import { type IdentityProvider, SignInRefusedError } from '../../../../lib/access/sign-in/identity-provider.ts';
import { SignIn } from '../../../../lib/access/sign-in/sign-in.ts';

const NOW = Date.UTC(2030, 0);
const PLACE = { browser: 'Firefox on Linux', address: '203.0.113.9' };
const STARTED = { session: { id: 'ses_new' }, cookie: 'new' };

/** What was asked of the identity provider and of the sessions, in order. */
const calls: unknown[] = [];
let claims: Record<string, unknown> | Error;
beforeEach(() => {
  calls.length = 0;
  claims = { sub: 's1', email: 'ada@example.com', email_verified: true, groups: ['chiefs'] };
});

const provider = {
  canForget: true,
  signOutUrl: async (returnTo: string) => `https://idp.example/logout?to=${returnTo}`,
  authorizationUrl: async ({ state }: { state: string }, { fresh }: { fresh: boolean }) =>
    `https://idp.example/?${new URLSearchParams({ state, fresh: String(fresh) })}`,
  claims: async (query: URLSearchParams, { state }: { state: string }) => {
    calls.push(['claims', query.get('code'), state === query.get('state')]);
    if (claims instanceof Error) throw claims;
    return claims;
  },
} as unknown as IdentityProvider;
const sessions = {
  start: async (...given: unknown[]) => {
    calls.push(['start', ...given]);
    return STARTED;
  },
  endByCookie: async (cookie: string) => void calls.push(['end', cookie]),
} as unknown as SessionStore;
const roles = { claim: 'groups', groups: new Map([['admin', 'chiefs'] as const]) };
const signIn = new SignIn({ provider, clock: { now: () => NOW }, sessions, roles });

/** Begins a sign-in and comes back from the identity provider with a code. */
async function finish({ formerSession, secrets }: { formerSession?: string; secrets?: Map<string, string> } = {}) {
  const begun = await signIn.begin({ returnTo: '/jobs', secrets: new Map(), fresh: false });
  const query = new URLSearchParams({ code: 'c', state: new URL(begun.location).searchParams.get('state') ?? '' });
  const outcome = await signIn.finish({
    ...{ query, formerSession, place: PLACE },
    secrets: secrets ?? new Map([[begun.slot, begun.secret]]),
  });
  return { outcome, slot: begun.slot };
}

it('a member gets a session with the place of the sign-in, and the former one ends only then', async () => {
  const { outcome, slot } = await finish({ formerSession: 'former' });
  expect(outcome).toEqual({ kind: 'signed-in', ...STARTED, slot, returnTo: '/jobs' });
  expect(calls).toEqual([
    ['claims', 'c', true],
    ['start', { subject: 's1', email: 'ada@example.com', role: 'admin' }, PLACE],
    ['end', 'former'],
  ]);
});

it('without a former session none is ended', async () => {
  await finish();
  expect(calls).toHaveLength(2);
});

it('a user without a role gets no session, and keeps the one of before', async () => {
  claims = { sub: 's1', groups: ['others'] };
  const { outcome, slot } = await finish({ formerSession: 'former' });
  const person = { subject: 's1', email: undefined, role: undefined };
  expect(outcome).toEqual({ kind: 'no-role', person, slot, returnTo: '/jobs' });
  expect(calls).toEqual([['claims', 'c', true]]);
});

it("a refusal has the identity provider's own words; any other failure is thrown", async () => {
  claims = new SignInRefusedError('the code has expired');
  const { outcome, slot } = await finish({ formerSession: 'former' });
  expect(outcome).toEqual({ kind: 'refused', why: 'the code has expired', slot, returnTo: '/jobs' });
  claims = new Error('unreachable');
  await expect(finish()).rejects.toThrow('unreachable');
});

it('a sign-in that this browser did not begin exchanges no code', async () => {
  expect((await finish({ secrets: new Map() })).outcome).toEqual({ kind: 'unknown' });
  const query = new URLSearchParams({ code: 'c' });
  expect(await signIn.finish({ query, secrets: new Map(), formerSession: 'x', place: PLACE })).toEqual({
    kind: 'unknown',
  });
  expect(calls).toEqual([]);
});

it('a sign-in takes a free slot, and asks for a fresh one if requested', async () => {
  const all = Array.from({ length: 32 }, (_, slot) => [String(slot), 'x'] as const);
  const secrets = new Map(all.filter(([slot]) => slot !== '7'));
  const { slot, location } = await signIn.begin({ returnTo: '/', secrets, fresh: true });
  expect([slot, new URL(location).searchParams.get('fresh')]).toEqual(['7', 'true']);
});

it('the way to sign out is that of the identity provider', async () => {
  expect(signIn.canForget).toBe(true);
  expect(await signIn.forgetUrl('/out')).toBe('https://idp.example/logout?to=/out');
});
