import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { startReceiver, verified } from '../catalog/webhook-receiver.ts';

let service: ServiceUnderTest;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  service = await sharedService();
  receiver = await startReceiver(({ path }) => [path === '/gone' ? 410 : 204]);
});
afterAll(async () => await receiver.stop());

async function subscribe(name: string, more: Record<string, unknown>) {
  const target = { webhook: { url: `${receiver.url}/${name}` } };
  const created = await service.api('POST', '/subscriptions', { name, target, ...more });
  expect(created.status, created.text).toBe(201);
  return created.json;
}

async function runJob(prompt: string, project: string): Promise<string> {
  const { json, text } = await service.api('POST', '/jobs', { profile: 'shell', prompt, project });
  expect(json.id, text).toBeDefined();
  return json.id;
}

const deliveriesOf = async (id: string) => (await service.api('GET', `/subscriptions/${id}/deliveries`)).json.items;

describe('a subscription', () => {
  it('calls its webhook for each event that it asks for, in order, signed with its secret, which is shown once', async () => {
    const events = ['job.created', 'attempt.started', 'job.succeeded', 'job.failed'];
    const made = await subscribe('orders', { events, filter: { project: 'orders' } });
    expect(made).toMatchObject({ id: 'orders', state: 'active', last_delivery: null, dropped: 0, digest: 'none' });
    expect(made.secret).toMatch(/^whsec_/);
    const { json: read } = await service.api('GET', '/subscriptions/orders');
    expect(read.secret).toBeUndefined();
    await runJob('true', 'others');
    const id = await runJob('exit 3', 'orders');
    const calls = await waitFor(() => receiver.to('/orders').length === 3 && receiver.to('/orders'));
    const bodies = calls.map((call) => verified(call, made.secret));
    expect(bodies.map(({ type, data }) => [type, data.event.job_id])).toEqual([
      ['job.created', id],
      ['attempt.started', id],
      ['job.failed', id],
    ]);
    const sequences = bodies.map(({ data }) => data.event.sequence);
    expect(sequences).toEqual(sequences.toSorted((one, other) => one - other));
    expect(bodies[0].data).toMatchObject({
      subscription: { id: 'orders' },
      event: { project: 'orders', profile: 'shell' },
    });
    expect(new Set(calls.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
    const [last] = await waitFor(async () => {
      const found = await deliveriesOf('orders');
      return found.every(({ state }: { state: string }) => state === 'delivered') && found;
    });
    expect(last).toMatchObject({
      state: 'delivered',
      status: 204,
      attempts: 1,
      events: [{ type: 'job.failed', job_id: id }],
    });
    const { json: after } = await service.api('GET', '/subscriptions/orders');
    expect(after).toMatchObject({ state: 'active', last_delivery: { state: 'delivered' } });

    const again = await service.api('POST', `/subscriptions/orders/deliveries/${last.id}/resend`);
    expect(again.status, again.text).toBe(202);
    const repeated = await waitFor(() => receiver.to('/orders')[3]);
    expect(repeated.headers['webhook-id']).toBe(calls[2]?.headers['webhook-id']);
    expect(verified(repeated, made.secret)).toEqual(bodies[2]);
  });

  it('is tested while it is disabled, and a receiver that answers 410 disables it with that reason', async () => {
    await subscribe('gone', { enabled: false });
    const { json: test, status } = await service.api('POST', '/subscriptions/gone/test');
    expect([status, test.kind, test.state]).toEqual([202, 'test', 'pending']);
    const [tested] = await waitFor(async () => {
      const found = await deliveriesOf('gone');
      return found[0]?.state === 'failed' && found;
    });
    expect(tested).toMatchObject({ id: test.id, status: 410, attempts: 1 });
    expect(JSON.parse(receiver.to('/gone')[0]?.body ?? '')).toMatchObject({ type: 'subscription.test' });
    const { json: enabled } = await service.api('PATCH', '/subscriptions/gone', { enabled: true });
    expect(enabled).toMatchObject({ state: 'active', state_reason: null });
    await runJob('exit 1', 'gone');
    const disabled = await waitFor(async () => {
      const { json } = await service.api('GET', '/subscriptions/gone');
      return json.state === 'disabled' && json;
    });
    expect(disabled.state_reason).toBe('The receiver answered 410: it wants no more calls.');
  });

  it('gets a new secret beside the former one, and is deleted with all that it has', async () => {
    const made = await subscribe('rotated', { events: ['job.created'], filter: { project: 'rotated' } });
    const { json: rotated } = await service.api('PATCH', '/subscriptions/rotated', { rotate_secret: true });
    await runJob('true', 'rotated');
    const call = await waitFor(() => receiver.to('/rotated')[0]);
    for (const secret of [made.secret, rotated.secret]) expect(verified(call, secret).type).toBe('job.created');
    expect((await service.api('DELETE', '/subscriptions/rotated')).status).toBe(200);
    expect((await service.api('GET', '/subscriptions/rotated')).status).toBe(404);
    expect((await service.api('GET', '/subscriptions')).json.items.map(({ id }: { id: string }) => id)).not.toContain(
      'rotated',
    );
  });

  it('is refused with every fault', async () => {
    const target = { webhook: { url: 'https://user:pass@example.com/', secret: `whsec_${'A'.repeat(32)}` } };
    const named = await subscribe('named', { enabled: false });
    const refused = [
      [{ name: 'x', target: {} }, 'target'],
      [{ name: 'x', target }, 'target.webhook.url'],
      [{ name: 'x', target: { webhook: { url: 'http://10.0.0.1/' } } }, 'target.webhook.url'],
      [{ name: 'x', target: named.target, events: ['job.exploded'] }, 'events'],
      [{ name: 'x', target: named.target, filter: { shape: 'round' } }, 'filter'],
      [{ name: 'named', target: named.target }, 'name'],
    ] as const;
    for (const [body, field] of refused) {
      const { status, text } = await service.api('POST', '/subscriptions', body);
      expect(status, text).toBe(400);
      expect(text).toContain(field);
    }
  });
});
