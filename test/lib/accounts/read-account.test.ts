import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Account, claimed, LOGIN, type Login, started } from '../../../lib/accounts/account.ts';
import { AccountStore } from '../../../lib/accounts/account-store.ts';
import type { LoginPrompt, LoginReply } from '../../../lib/accounts/ask-login.ts';
import { readAccount, viewAccount } from '../../../lib/accounts/read-account.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

const LISTENER = { address: '10.0.0.1', port: 4000, nonce: 'n' };
const PROMPT = {
  login_id: 'login',
  verification_uri: 'https://v.example/device',
  user_code: 'ABCD-12345',
  expires_at: '2026-11-20T12:15:00.000Z',
};

let deployment: EmulatedDeployment;
let begun: number;
let later = 0;
let accounts: AccountStore;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());
beforeEach(async () => {
  begun = deployment.clock.now();
  later = 0;
  accounts = new AccountStore({ ...deployment.registry, clock: { now: () => begun + later }, world: 'practice' });
  const by = { id: PROMPT.login_id, workerId: 'worker', listener: LISTENER };
  await accounts.change(
    'codex',
    (account, now) => claimed(started({ ...account, login: undefined }, by.id, now), by, now) ?? account,
  );
});

const read = async (reply: LoginReply) => await readAccount({ accounts, askLogin: async () => reply }, 'codex');

it('a login whose process is silent has failed once its lease is over, and not before', async () => {
  later = LOGIN.lease;
  expect(await read({ kind: 'silent' })).toMatchObject({ state: 'starting' });
  later += 1;
  expect(await read({ kind: 'silent' })).toMatchObject({ state: 'failed', error: expect.stringContaining('ended') });
});

it('a login whose process is gone has failed at once, and its end is stored', async () => {
  expect(await read({ kind: 'gone' })).toMatchObject({ state: 'failed', error: expect.stringContaining('ended') });
  expect((await accounts.read('codex')).login).toMatchObject({ state: 'failed' });
});

const AT = '2026-11-20T12:00:00.000Z';
const { login_id: _id, ...CODE } = PROMPT;
const credential = { file: 'credential', account: 'ada@example.com' };
it.each<[name: string, account: Partial<Account>, prompt: LoginPrompt | undefined, shown: object]>([
  ['not linked', {}, undefined, { state: 'not_linked', logged_in: false }],
  ['linked', { credential }, undefined, { state: 'linked', logged_in: true, account: 'ada@example.com' }],
  ['linked without a name', { credential: { file: 'x' } }, undefined, { state: 'linked', logged_in: true }],
  ['starting', { login: loginIn('starting') }, PROMPT, { state: 'awaiting_user', logged_in: false, ...CODE }],
  [
    'starting, its code not printed',
    { login: loginIn('starting') },
    { login_id: PROMPT.login_id },
    { state: 'starting', logged_in: false },
  ],
  ['awaiting a person', { login: loginIn('awaiting_user') }, undefined, { state: 'awaiting_user', logged_in: false }],
  [
    'a failed login beside a link, without its code',
    { credential, login: { ...loginIn('failed'), error: 'why' } },
    PROMPT,
    { state: 'failed', logged_in: true, account: 'ada@example.com', error: 'why' },
  ],
])('what is shown of an account: %s', (_name, account, prompt, shown) => {
  const clock = { now: () => Date.parse(AT) };
  const whole = { version: 1, generation: 1, discarded: [], ...account };
  expect(viewAccount({ clock }, 'codex', whole, prompt)).toEqual({ vendor: 'codex', updated_at: AT, ...shown });
  const earlier = viewAccount({ clock }, 'codex', { ...whole, updated_at: 'earlier' }, prompt);
  expect(earlier).toEqual({ vendor: 'codex', ...shown, updated_at: 'earlier' });
});

function loginIn(state: Login['state']): Login {
  return { id: PROMPT.login_id, state, requested_at: AT };
}
