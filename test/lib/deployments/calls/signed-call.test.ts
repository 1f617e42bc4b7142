import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSignedCall, type Resolve } from '../../../../lib/deployments/calls/signed-call.ts';
import { startReceiver, verified } from '../../../api/catalog/webhook-receiver.ts';

const secrets = [`whsec_${Buffer.alloc(32, 1).toString('base64')}`, `whsec_${Buffer.alloc(32, 2).toString('base64')}`];
let receiver: Awaited<ReturnType<typeof startReceiver>>;
let port: string;

beforeAll(async () => {
  receiver = await startReceiver(({ path }) => (path === '/busy' ? [429, { 'retry-after': '7' }] : [200]));
  ({ port } = new URL(receiver.url));
});
afterAll(async () => await receiver.stop());

const aCall = (url: string) => ({ url, id: 'msg_1', payload: '{"type":"job.succeeded"}', secrets, at: new Date() });

/** Answers for names, and counts how often it was asked. */
function names(...addresses: readonly string[]): Resolve & { asked: () => number } {
  let asked = 0;
  const resolve: Resolve = (_name, done) => {
    asked += 1;
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    queueMicrotask(() => done(null, found));
  };
  return Object.assign(resolve, { asked: () => asked });
}

describe('a signed call', () => {
  it('can be verified with each of its secrets', async () => {
    const result = await makeSignedCall(aCall(`${receiver.url}/signed`), { reach: { loopback: true } });
    expect(result).toMatchObject({ status: 200 });
    const [call] = receiver.to('/signed');
    for (const secret of secrets) expect(verified(call, secret)).toEqual({ type: 'job.succeeded' });
    expect(call?.headers).toMatchObject({ 'webhook-id': 'msg_1', 'content-type': 'application/json' });
  });

  it('resolves a name once and connects to the address that was checked', async () => {
    const resolve = names('127.0.0.1');
    const call = aCall(`http://localhost:${port}/named`);
    expect(await makeSignedCall(call, { reach: { loopback: true }, resolve })).toMatchObject({ status: 200 });
    expect([resolve.asked(), receiver.to('/named').length]).toEqual([1, 1]);
  });

  it.each([
    ['127.0.0.1'],
    ['169.254.169.254'],
    ['10.1.2.3'],
    ['::1'],
    ['::ffff:127.0.0.1'],
    ['1.1.1.1', '192.168.0.1'],
  ])('is not made to a name that leads to %s', async (...addresses) => {
    const call = aCall(`https://innocent.example:${port}/inside`);
    const result = await makeSignedCall(call, { reach: { loopback: false }, resolve: names(...addresses) });
    expect(result).toEqual({ failed: expect.stringContaining('not of the public internet') });
    expect(receiver.to('/inside')).toEqual([]);
  });

  it('is not answered without TLS where https is asked for', async () => {
    const result = await makeSignedCall(aCall(`https://127.0.0.1:${port}/`), { reach: { loopback: true } });
    expect(result).toHaveProperty('failed');
  });
});
