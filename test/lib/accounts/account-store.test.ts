import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Account, started } from '../../../lib/accounts/account.ts';
import { AccountStore } from '../../../lib/accounts/account-store.ts';
import { cancelLogin } from '../../../lib/accounts/cancel-login.ts';
import { reconcileAccounts } from '../../../lib/accounts/reconcile-accounts.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

const NOW = Date.parse('2026-11-20T10:00:00.000Z');
const clock = { now: () => NOW };
/** There may be more vendors in the future. */
const OTHER = 'other' as 'codex';

let deployment: EmulatedDeployment;
let accounts: AccountStore;
beforeAll(async () => {
  deployment = await emulateDeployment();
  accounts = new AccountStore({ ...deployment.registry, clock, world: 'real' });
});
afterAll(async () => await deployment.stop());

const onTable = (send: (command: GetCommand | PutCommand) => Promise<unknown>) =>
  new AccountStore({
    ...deployment.registry,
    table: { send } as unknown as DynamoDBDocumentClient,
    clock,
    world: 'real',
  });
const start = (account: Account, now: number) => started(account, 'one', now);

it('a change counts, and tells clients when it was made unless it is quiet', async () => {
  const none = { version: 0, generation: 0, discarded: [] };
  expect(await accounts.read('codex')).toEqual(none);
  const first = await accounts.change('codex', start);
  expect(first).toMatchObject({ version: 1, updated_at: '2026-11-20T10:00:00.000Z', login: { id: 'one' } });
  const quiet = new AccountStore({ ...deployment.registry, clock: { now: () => NOW + 5 }, world: 'real' });
  const second = await quiet.change('codex', (account) => ({ ...account, generation: 9 }), { quietly: true });
  expect(second).toEqual({ ...first, version: 2, generation: 9 });
  expect(await quiet.change('codex', (account) => ({ ...account, generation: 10 }))).toEqual({
    ...second,
    ...{ version: 3, generation: 10, updated_at: '2026-11-20T10:00:00.005Z' },
  });
});

it('a rejected change and one that changes nothing are not written', async () => {
  const written: unknown[] = [];
  const reading = onTable(async (command) => {
    if (command instanceof PutCommand) written.push(command.input);
    return { Item: { version: 3 } };
  });
  expect(await reading.change('codex', () => undefined)).toBeUndefined();
  expect(await reading.change('codex', (account) => account)).toMatchObject({ version: 3 });
  expect(await cancelLogin(reading)).toBeUndefined();
  expect(written).toEqual([]);
});

it('a change reads consistently', async () => {
  const reads: unknown[] = [];
  const reading = onTable(async (command) => {
    if (command instanceof GetCommand) reads.push(command.input.ConsistentRead);
    return {};
  });
  await reading.read('codex');
  await reading.change('codex', start);
  await reading.read('codex', { consistent: false });
  expect(reads).toEqual([true, true, false]);
});

it('a change that another made after it was read is not overwritten', async () => {
  const { table } = deployment.registry;
  let isFirst = true;
  const racing = onTable(async (command) => {
    const answer = await table.send(command as GetCommand);
    if (isFirst) {
      isFirst = false;
      await accounts.change('codex', (account) => ({ ...account, discarded: [...account.discarded, 'theirs'] }));
    }
    return answer;
  });
  const ours = await racing.change('codex', (account) => ({ ...account, discarded: [...account.discarded, 'ours'] }));
  expect(ours.discarded).toEqual(['theirs', 'ours']);
});

it('a write that fails otherwise is not tried against others', async () => {
  const error = new Error('out of reach');
  const failing = onTable(async (command) => {
    if (command instanceof PutCommand) throw error;
    return {};
  });
  await expect(failing.change('codex', start)).rejects.toBe(error);
});

it('a login that was lost meanwhile is not cancelled', async () => {
  const login = { id: 'lost', state: 'starting', requested_at: '2026-11-20T09:00:00.000Z' };
  const reading = onTable(async () => ({ Item: { login } }));
  expect(await cancelLogin(reading)).toBeUndefined();
});

it('lost logins of all vendors are corrected, also behind an account that is damaged', async () => {
  const { table, registryTable: TableName } = deployment.registry;
  const login = { id: 'lost', state: 'starting', requested_at: '2026-11-20T09:00:00.000Z' };
  await table.send(new PutCommand({ TableName, Item: { kind: 'account', id: 'codex', login: 'damaged' } }));
  await table.send(new PutCommand({ TableName, Item: { kind: 'account', id: OTHER, version: 1, login } }));
  await reconcileAccounts(accounts, ['codex', OTHER]);
  expect((await accounts.read(OTHER)).login).toMatchObject({ id: 'lost', state: 'expired' });
});
