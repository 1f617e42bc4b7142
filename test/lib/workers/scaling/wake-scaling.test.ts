import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createWakeScaling } from '../../../../lib/workers/scaling/wake-scaling.ts';

test('the function that launches workers is asked twice at most, since it runs every minute anyway', async () => {
  let calls = 0;
  const lambda = createServer((_request, response) => {
    calls += 1;
    response.writeHead(500, { 'x-amzn-errortype': 'ServiceException' }).end('{}');
  });
  await once(lambda.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void lambda.close());
  for (const name of ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'us-east-1');
  vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', `http://127.0.0.1:${(lambda.address() as AddressInfo).port}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(createWakeScaling({ SCALE_WORKERS_FUNCTION: 'promptq-scale-workers' })()).rejects.toThrow();
  expect(calls).toBe(2);
  await createWakeScaling({})();
  expect(calls).toBe(2);
});
