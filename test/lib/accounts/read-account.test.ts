import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetCommand, type PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { claimed, LOGIN, started } from '../../../lib/accounts/account.ts';
import { AccountStore } from '../../../lib/accounts/account-store.ts';
import type { LoginReply } from '../../../lib/accounts/ask-login.ts';
import { cancelLogin } from '../../../lib/accounts/cancel-login.ts';
import { createLoginReader } from '../../../lib/accounts/login-reader.ts';
import { readAccount, viewAccount } from '../../../lib/accounts/read-account.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../emulated-deployment.ts';
import { repeatingTable } from '../../repeating-table.ts';

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

it('an account without a login in progress is linked if it has a credential', async () => {
  const account = { version: 1, generation: 1, discarded: [] };
  const credential = { file: 'credential' };
  const { clock } = deployment;
  expect(viewAccount({ clock }, 'codex', { ...account, credential })).toMatchObject({
    state: 'linked',
    logged_in: true,
  });
  expect(viewAccount({ clock }, 'codex', account)).toMatchObject({ state: 'not_linked', logged_in: false });
});

it("a login whose code can't be asked for, as Lambda refuses the call, is as silent as its process", async () => {
  let calls = 0;
  const lambda = createServer((_request, response) => {
    calls += 1;
    const body = JSON.stringify({ Type: 'User', Message: 'The function is inactive' });
    response.writeHead(502, { 'x-amzn-errortype': 'ResourceNotReadyException' }).end(body);
  });
  await once(lambda.listen(0, '127.0.0.1'), 'listening');
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'us-east-1');
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', `http://127.0.0.1:${(lambda.address() as AddressInfo).port}`);
  try {
    const askLogin = createLoginReader({ LOGIN_READER_FUNCTION: 'promptq-read-login-code' });
    expect(await readAccount({ accounts, askLogin }, 'codex')).toMatchObject({ state: 'starting' });
    expect(calls).toBeGreaterThan(0);
  } finally {
    vi.unstubAllEnvs();
    lambda.close();
  }
});

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
