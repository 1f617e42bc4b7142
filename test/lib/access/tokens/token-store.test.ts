import {
  type DynamoDBDocumentClient,
  GetCommand,
  type PutCommand,
  QueryCommand,
  type UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateToken, isWellFormed, TOKEN_PATTERN } from '../../../../lib/access/tokens/api-tokens.ts';
import { TokenStore } from '../../../../lib/access/tokens/token-store.ts';
import { SCOPES } from '../../../../lib/contract/scopes.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { repeatingTable } from '../../../stand-ins/repeating-table.ts';

let deployment: EmulatedDeployment;
let tokens: TokenStore;
beforeAll(async () => {
  deployment = await emulateDeployment();
  tokens = new TokenStore(deployment.registry);
});
afterAll(async () => await deployment.stop());

it('a new token is verified, with its name and scopes', async () => {
  const { id, token } = await tokens.create({ name: 'ci', scopes: ['read'] });
  expect(await tokens.verify(token)).toMatchObject({ id, name: 'ci', scopes: ['read'], state: 'active' });
});

it('a new token is returned even if its write was repeated, because the answer to it was lost', async () => {
  const { registry } = deployment;
  const repeating = new TokenStore({ ...registry, table: repeatingTable(registry.table) });
  const { id, token } = await repeating.create({ name: 'repeated', scopes: ['read'] });
  expect(await tokens.verify(token)).toMatchObject({ id, name: 'repeated' });
});

it('nothing that is stored contains the token', async () => {
  const { token } = await tokens.create({ name: 'secret', scopes: ['read'] });
  const { Items } = await deployment.table.send(
    new QueryCommand({
      TableName: deployment.env.REGISTRY_TABLE,
      KeyConditionExpression: 'kind = :kind',
      ExpressionAttributeValues: { ':kind': 'token' },
    }),
  );
  expect(JSON.stringify(Items)).not.toContain(token.slice(3, 20));
});

it('one mistyped character makes a token malformed', () => {
  const token = generateToken();
  expect(token).toMatch(TOKEN_PATTERN);
  expect(token).toMatch(/^pq_[0-9A-Za-z]{49}$/);
  expect(isWellFormed(token)).toBe(true);
  for (const at of [3, 20, token.length - 1]) {
    const wrong = token.slice(0, at) + (token[at] === 'a' ? 'b' : 'a') + token.slice(at + 1);
    expect(isWellFormed(wrong), `character ${at}`).toBe(false);
  }
  for (const wrong of [`PQ${token.slice(2)}`, `${token.slice(0, 46)}x${token.slice(46)}`])
    expect(isWellFormed(wrong)).toBe(false);
});

it('a suspended token is rejected until it is resumed, a revoked one permanently', async () => {
  const { id, token } = await tokens.create({ name: 'x', scopes: ['read'] });
  await tokens.setState(id, 'suspended');
  expect(await tokens.verify(token)).toBeUndefined();
  await tokens.setState(id, 'active');
  expect(await tokens.verify(token)).toBeDefined();
  await tokens.setState(id, 'revoked');
  expect(await tokens.verify(token)).toBeUndefined();
  expect(await tokens.setState(id, 'active')).toBe('revoked');
  expect(await tokens.setState('tok_none', 'active')).toBe('unknown');
  expect(await tokens.verify(token)).toBeUndefined();
});

it('an expired token is rejected', async () => {
  const { token } = await tokens.create({ name: 'short', scopes: ['read'], expiresIn: -1 });
  expect(await tokens.verify(token)).toBeUndefined();
});

it('an expiry in the past is rejected', async () => {
  for (const expiresAt of [0, deployment.clock.now(), Date.UTC(10_000, 0), Number.NaN]) {
    await expect(tokens.create({ name: 'x', scopes: ['read'], expiresAt })).rejects.toThrow(/expires_at: received/);
  }
  const expiresAt = deployment.clock.now() + 60_000;
  const { token } = await tokens.create({ name: 'x', scopes: ['read'], expiresAt });
  expect(await tokens.verify(token)).toMatchObject({ expires_at: new Date(expiresAt).toISOString() });
});

/** Tokens through a table that fails the commands of one kind, and shows nothing to eventually consistent reads. */
function tokensWith(failing?: typeof PutCommand | typeof UpdateCommand) {
  const asked: string[] = [];
  const send = async (command: { constructor: { name: string } }) => {
    asked.push(command.constructor.name);
    if (failing !== undefined && command instanceof failing) throw new Error('throttled');
    if (command instanceof GetCommand && command.input.ConsistentRead !== true) return {};
    return await deployment.table.send(command as never);
  };
  return {
    asked,
    store: new TokenStore({ ...deployment.registry, table: { send } as unknown as DynamoDBDocumentClient }),
  };
}

it('a token is accepted from its creation on, and a text that is none is not even looked for', async () => {
  const { token } = await tokens.create({ name: 'x', scopes: ['read'] });
  const { asked, store } = tokensWith();
  expect(await store.verify(token)).toBeDefined();
  asked.length = 0;
  const other = token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
  for (const text of ['', 'x', other, ` ${token}`, `${token}x`]) expect(await store.verify(text)).toBeUndefined();
  expect(asked).toEqual([]);
});

it('what is shown of tokens is never their hash, and the newest comes first', async () => {
  let now = Date.UTC(2099, 0);
  const store = new TokenStore({ ...deployment.registry, clock: { now: () => now } });
  const { token: _first, ...first } = await store.create({ name: 'first', scopes: ['read'], expiresIn: 1_000 });
  now += 1;
  const { token: _second, ...second } = await store.create({ name: 'second', scopes: [...SCOPES] });
  expect([first, second]).toEqual([
    {
      ...{ id: first.id, name: 'first', scopes: ['read'], state: 'active' },
      ...{ created_at: '2099-01-01T00:00:00.000Z', expires_at: '2099-01-01T00:00:01.000Z' },
    },
    { id: second.id, name: 'second', scopes: SCOPES, state: 'active', created_at: '2099-01-01T00:00:00.001Z' },
  ]);
  expect((await store.list()).slice(0, 2)).toEqual([second, first]);
  const revoked = { ...first, state: 'revoked' };
  expect([await store.setState(first.id, 'revoked'), await store.setState(first.id, 'revoked')]).toEqual([
    revoked,
    revoked,
  ]);
});
