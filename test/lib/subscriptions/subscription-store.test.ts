import { afterAll, beforeAll, expect, it } from 'vitest';
import { EventFeed } from '../../../lib/events/event-feed.ts';
import { FeedReaders } from '../../../lib/events/feed-readers.ts';
import { SubscriptionStore } from '../../../lib/subscriptions/store/subscription-store.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

it('a change of a deleted subscription does not reach a later one of its name', async () => {
  const { registry } = deployment;
  const readers = new FeedReaders({ ...registry, feed: new EventFeed(registry) });
  const subscriptions = new SubscriptionStore({ ...registry, readers });
  const create = async (made: string) => {
    const at = '2026-11-20T10:41:00.000Z';
    const created = await subscriptions.replace(undefined, {
      ...{ id: 'alerts', name: 'alerts', made, target: { kind: 'webhook', settings: {} }, secrets: {} },
      ...{ events: ['job.failed'], filter: {}, digest: 'none', answers_from: [], enabled: true },
      ...{ created_by: 'token:ci', created_at: at, updated_at: at },
    });
    if (created === undefined) throw new Error('there is one');
    return created;
  };
  const before = await create('first');
  await subscriptions.delete(before);
  const after = await create('second');
  expect(after.version).toBe(before.version);
  expect(await subscriptions.replace(before, { ...before, enabled: false })).toBeUndefined();
  expect(await subscriptions.delete(before)).toBe(false);
  expect(await subscriptions.get('alerts')).toEqual(after);
});
