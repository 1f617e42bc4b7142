import { afterEach, expect, test } from 'vitest';
import { closeGateways, gatewayWith, type Handler, logged } from './gateway-under-test.ts';

afterEach(closeGateways);

test('an account at its concurrency answers further calls with 500 until one has ended, also one whose client has disconnected', async () => {
  const end = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const waiting: Handler = async ({ pathParameters }) => {
    if (pathParameters?.id === 'slow') {
      started.resolve();
      await end.promise;
    }
    return { statusCode: 200, body: '{}' };
  };
  const gateway = await gatewayWith({ 'things.read': waiting }, { concurrency: 1 });
  const call = async (id: string) => await fetch(`${gateway.url}/api/v1/things/${id}`);
  const leaving = new AbortController();
  const slow = fetch(`${gateway.url}/api/v1/things/slow`, { signal: leaving.signal });
  await started.promise;
  leaving.abort();
  await expect(slow).rejects.toThrow();
  const refused = await call('quick');
  expect([refused.status, await refused.json()]).toEqual([
    500,
    { error: 'internal_error', request_id: refused.headers.get('x-request-id') },
  ]);
  expect(logged.join()).toContain('1 functions run');
  end.resolve();
  await expect.poll(async () => (await call('quick')).status).toBe(200);
});
