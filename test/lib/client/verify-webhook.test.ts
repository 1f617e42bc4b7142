import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { verifyWebhook } from '../../../lib/client/verify-webhook.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

test("a signed call of the service is verified, and a forged one isn't", async () => {
  const calls: { body: string; headers: Record<string, string | string[] | undefined> }[] = [];
  const receiver = createServer((request, answer) => {
    void text(request).then((body) => {
      calls.push({ body, headers: request.headers });
      answer.end();
    });
  }).listen(0, '127.0.0.1');
  const target_url = await waitFor(() => {
    const address = receiver.address() as AddressInfo | null;
    return address === null ? undefined : `http://127.0.0.1:${address.port}/`;
  });
  const { json: binding } = await service.api('POST', '/deploy-bindings', {
    binding_mode: 'generic',
    project: 'hooks',
    target_url,
  });
  const { json: job } = await service.api('POST', '/jobs', { profile: 'shell', prompt: 'true', project: 'hooks' });
  const { body, headers } = await waitFor(() => calls[0]);
  receiver.close();

  expect(verifyWebhook(body, headers, binding.secret)).toMatchObject({
    type: 'job.succeeded',
    data: { job: { id: job.id, status: 'SUCCEEDED' } },
  });
  const asHeaders = new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  expect(verifyWebhook(body, asHeaders, binding.secret).data.job.id).toBe(job.id);
  expect(() => verifyWebhook(body.replace('SUCCEEDED', 'FAILED'), headers, binding.secret)).toThrow();
  expect(() => verifyWebhook(body, { ...headers, 'webhook-timestamp': '1' }, binding.secret)).toThrow();
});
