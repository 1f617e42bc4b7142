import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { claimed } from '../../lib/accounts/account.ts';
import { AccountStore } from '../../lib/accounts/account-store.ts';
import { functionsUnderTest } from './functions-under-test.ts';

const service = functionsUnderTest({
  'codex-account.start': async () => await import('../../functions/codex-account/start.ts'),
  'codex-account.cancel': async () => await import('../../functions/codex-account/cancel.ts'),
  'codex-account.logout': async () => await import('../../functions/codex-account/logout.ts'),
});

test('a login whose process has died is begun once more, and one that waits for a worker is not', async () => {
  const accounts = new AccountStore({ ...service.deployment.registry, world: 'practice' });
  const authorization = `Bearer ${await service.token()}`;
  const start = async () => {
    const { status } = await service.ask('/api/v1/codex-account/start', { authorization }, { method: 'POST' });
    return [status, (await accounts.read('codex')).login?.id];
  };
  const first = await start();
  expect(await start()).toEqual(first);
  const id = String(first[1]);
  // Another process has the port now, although the lease of the login has not ended.
  const other = createServer((_request, response) => response.writeHead(404).end()).listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const listener = { address: '127.0.0.1', port: (other.address() as AddressInfo).port, nonce: 'n' };
  await accounts.change('codex', (account, now) => claimed(account, { id, workerId: 'w', listener }, now) ?? account);
  const second = await start();
  expect(second).toEqual([202, expect.any(String)]);
  expect(second).not.toEqual(first);
});

test('a login is cancelled once, and the account is unlinked', async () => {
  const authorization = `Bearer ${await service.token()}`;
  const state = async (path: string, method: string) => {
    const { status, body } = await service.ask(`/api/v1/codex-account${path}`, { authorization }, { method });
    return [status, body.state ?? (body.details as { state: string }).state];
  };
  expect(await state('/start', 'POST')).toEqual([202, 'starting']);
  expect(await state('/cancel', 'POST')).toEqual([200, 'cancelled']);
  expect(await state('/cancel', 'POST')).toEqual([400, 'cancelled']);
  expect((await state('', 'DELETE'))[0]).toBe(200);
});
