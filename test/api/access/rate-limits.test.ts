import { afterAll, beforeAll, expect, it } from 'vitest';
import { runToken } from '../../bin/token-command.ts';
import { type OwnService, startService } from '../../local-run/local-service.ts';

let service: OwnService;
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_TOKEN_RATE: '1' } });
});
afterAll(async () => {
  await service.stop();
});

it('a token over its rate gets a retry delay, and does not slow others down', async () => {
  const many = await Promise.all(Array.from({ length: 20 }, () => service.api('GET', '/openapi.json')));
  const refused = many.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(10);
  for (const { headers, json } of refused) {
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(json).toEqual({ error: 'too_many_requests', request_id: headers.get('x-request-id') });
  }
  expect((await service.api('GET', '/openapi.json', undefined, { authorization: '' })).status).toBe(401);
});

it('each token has its own rate, also if another one has the same name', async () => {
  const token = async () =>
    JSON.parse((await runToken(service.home, 'create', '--name', 'ci', '--json')).stdout).token as string;
  const [first, second] = [await token(), await token()];
  const statusFor = async (bearer: string) =>
    (await service.api('GET', '/openapi.json', undefined, { authorization: `Bearer ${bearer}` })).status;
  await expect.poll(async () => await statusFor(first)).toBe(429);
  expect(await statusFor(second)).toBe(200);
});
