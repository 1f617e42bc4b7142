import { GetCommand, type PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Account, claimed, LOGIN, type Login, started } from '../../../lib/accounts/account.ts';
import { AccountStore } from '../../../lib/accounts/account-store.ts';
import type { LoginPrompt, LoginReply } from '../../../lib/accounts/ask-login.ts';
import { cancelLogin } from '../../../lib/accounts/cancel-login.ts';
import { readAccount, viewAccount } from '../../../lib/accounts/read-account.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { repeatingTable } from '../../stand-ins/repeating-table.ts';

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

it('a login whose process answers continues after its lease has expired: its machine may have been paused', async () => {
  later = LOGIN.lease + 1;
  const shown = { state: 'awaiting_user', user_code: PROMPT.user_code };
  expect(await read({ kind: 'prompt', prompt: PROMPT })).toMatchObject(shown);
  expect(await read({ kind: 'prompt', prompt: PROMPT })).toMatchObject(shown);
});

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

it('a login is asked for by its id and address, while it runs; reading writes nothing', async () => {
  const asked: unknown[] = [];
  const askLogin = async (question: unknown): Promise<LoginReply> => {
    asked.push(question);
    return { kind: 'silent' };
  };
  const { version } = await accounts.read('codex');
  await readAccount({ accounts, askLogin }, 'codex');
  expect(asked).toEqual([{ login_id: PROMPT.login_id, listener: LISTENER }]);
  expect((await accounts.read('codex')).version).toBe(version);
  await cancelLogin(accounts);
  expect(await readAccount({ accounts, askLogin }, 'codex')).toMatchObject({ state: 'cancelled' });
  expect(asked).toHaveLength(1);
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

it('two logins that start at once on a new account are not both the account', async () => {
  const { registry, clock } = deployment;
  const fresh = new AccountStore({ ...registry, clock, world: 'real' });
  const both = Promise.withResolvers<void>();
  let readers = 0;
  const table = {
    ...registry.table,
    send: async (command: GetCommand | PutCommand) => {
      const answer = await registry.table.send(command as GetCommand);
      if (command instanceof GetCommand && readers < 2) {
        readers += 1;
        if (readers === 2) both.resolve();
        await both.promise;
      }
      return answer;
    },
  };
  const racing = new AccountStore({ ...registry, table: table as typeof registry.table, clock, world: 'real' });
  const start = async (id: string) =>
    await racing.change('codex', (account, now) => (account.login === undefined ? started(account, id, now) : account));
  const [one, two] = await Promise.all([start('one'), start('two')]);
  expect(one.login?.id).toBe(two.login?.id);
  expect((await fresh.read('codex')).login?.id).toBe(one.login?.id);
});

it('the account of a real vendor is stored under its name, where deployed tables hold it', async () => {
  const real = new AccountStore({ ...deployment.registry, clock: deployment.clock, world: 'real' });
  const login = started(await real.read('codex'), 'of the real one', begun);
  await real.change('codex', () => login);
  const { table, registryTable } = deployment.registry;
  const { Items = [] } = await table.send(new ScanCommand({ TableName: registryTable }));
  const ids = Items.filter((item) => item.login !== undefined).map(({ id }) => id);
  expect(ids.toSorted()).toEqual(['codex', 'codex@practice']);
});

it('a login that is cancelled by a write whose answer was lost is cancelled once', async () => {
  const { registry, clock } = deployment;
  const repeating = new AccountStore({ ...registry, table: repeatingTable(registry.table), clock, world: 'practice' });
  expect((await cancelLogin(repeating))?.login).toMatchObject({ id: PROMPT.login_id, state: 'cancelled' });
  expect(await cancelLogin(repeating)).toBeUndefined();
});
