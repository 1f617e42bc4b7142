import { expect, it, onTestFinished } from 'vitest';
import { handler } from '../../../functions/triggers/read-login-code.ts';
import { askLogin, NONCE_HEADER } from '../../../lib/accounts/ask-login.ts';
import { listenForLogin } from '../../../worker-container/account/login-listener.ts';

const PROMPT = { login_id: 'one', verification_uri: 'https://vendor.example/device', user_code: 'ABCD-12345' };

async function listen() {
  const listener = await listenForLogin({ network: 'loopback', port: 0, prompt: () => PROMPT });
  onTestFinished(async () => await listener.close().catch(() => undefined));
  return listener;
}

it('returns the code for the nonce, directly and through the function in the network', async () => {
  const { where } = await listen();
  const question = { login_id: 'one', listener: where };
  expect(await askLogin(question)).toEqual({ kind: 'prompt', prompt: PROMPT });
  expect(await handler(question)).toEqual({ kind: 'prompt', prompt: PROMPT });
});

it('returns nothing without the nonce', async () => {
  const { where } = await listen();
  const url = `http://${where.address}:${where.port}`;
  for (const nonce of ['', 'x', where.nonce.slice(1), `${where.nonce}x`]) {
    const answer = await fetch(`${url}/login`, { headers: { [NONCE_HEADER]: nonce } });
    expect([answer.status, await answer.text()]).toEqual([403, '']);
  }
  expect((await fetch(`${url}/other`, { headers: { [NONCE_HEADER]: where.nonce } })).status).toBe(403);
  const fromPage = { [NONCE_HEADER]: where.nonce, origin: 'https://elsewhere.example' };
  expect((await fetch(`${url}/login`, { headers: fromPage })).status).toBe(403);
  const answer = await fetch(`${url}/login`, { headers: { [NONCE_HEADER]: where.nonce } });
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(where.address).toBe('127.0.0.1');
});

it('is distinguished from another process that got its port', async () => {
  const { where } = await listen();
  expect(await askLogin({ login_id: 'another', listener: where })).toEqual({ kind: 'gone' });
  expect(await askLogin({ login_id: 'one', listener: { ...where, nonce: 'old' } })).toEqual({ kind: 'gone' });
});

it('is reported as gone when it is', async () => {
  const listener = await listen();
  await listener.close();
  expect(await askLogin({ login_id: 'one', listener: listener.where })).toEqual({ kind: 'gone' });
});

it('the function in the network calls no address outside it', async () => {
  for (const address of ['8.8.8.8', '169.254.169.254', '::1234:5678:9abc']) {
    const question = { login_id: 'one', listener: { address, port: 80, nonce: 'n' } };
    await expect(handler(question)).rejects.toThrow(/private/);
  }
});
