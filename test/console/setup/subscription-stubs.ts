import type { Page } from 'playwright-core';
import type { components } from '../../../lib/client/api-types.ts';
import { QUIET_EVENTS } from '../../../lib/contract/subscription-choices.ts';

type Schemas = components['schemas'];

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const NO_FILTER = { project: null, profile: null, template: null, automation: null, creator: null };

function one(id: string, name: string, target: object, more: Partial<Schemas['Subscription']> = {}) {
  return {
    ...{ id, name, target, events: [...QUIET_EVENTS], filter: NO_FILTER, digest: 'none', answers_from: [] },
    ...{ enabled: true, state: 'active', state_reason: null, failing_since: null, dropped: 0 },
    ...{ last_delivery: { at: ago(12), state: 'delivered' }, created_by: 'user:mira@example.com' },
    ...{ created_at: ago(9_000), updated_at: ago(400), ...more },
  };
}

const failing = { last_delivery: { at: ago(2), state: 'pending' as const }, failing_since: ago(95) };

const ITEMS = [
  one('on-call', 'On call', { slack: { channel: 'C024BE91L' } }, { answers_from: ['U024BE7LH'] }),
  one(
    'mira',
    'Mira',
    { telegram: { chat_id: '123456789' } },
    {
      ...{ enabled: false, state: 'disabled', dropped: 3 },
      state_reason:
        'Telegram answered 403: Forbidden: bot was blocked by the user. Let the bot write to the chat again.',
    },
  ),
  one(
    'leads',
    'Leads',
    { email: { to: ['lea@example.com', 'noor@example.com'] } },
    {
      ...{ digest: 'hourly', state: 'failing', ...failing },
      state_reason: 'SES answered MessageRejected: Email address is not verified.',
    },
  ),
  one(
    'dashboard',
    'Dashboard',
    { webhook: { url: 'https://hooks.example.com/promptq' } },
    {
      ...{ events: ['job.succeeded', 'job.failed', 'job.cancelled', 'job.created'], last_delivery: null },
      filter: { ...NO_FILTER, project: 'storefront' },
    },
  ),
];

/** An event, or those of a digest, sent to a receiver. */
function delivery(id: string, minutes: number, more: Partial<Schemas['Delivery']> = {}): Schemas['Delivery'] {
  const event = { id: '1042-1', type: 'job.failed', job_id: 'job_4k2q0v9m6s8x1c3b5n7h2j4d6f', sequence: 7 };
  return {
    ...{ id, kind: 'event', events: [event], state: 'delivered', attempts: 1, status: 200, error: null },
    ...{ created_at: ago(minutes), last_attempt_at: ago(minutes), next_attempt_at: null, ...more },
  };
}

/** Makes the service have a subscription in each state. */
export async function stubSubscriptions(page: Page): Promise<void> {
  const deliveries = [
    delivery('dlv_1', 2, {
      ...{ state: 'pending', attempts: 4, status: 400, next_attempt_at: new Date(Date.now() + 240_000).toISOString() },
      error: 'Slack answered with status 500.',
    }),
    delivery('dlv_2', 30, { kind: 'test', events: [] }),
    delivery('dlv_3', 300, { state: 'dropped', attempts: 11, error: 'The receiver accepted nothing for 24 hours.' }),
    delivery('dlv_4', 301),
  ];
  await page.route(/\/api\/v1\/subscriptions(\/[^?]*)?$/, async (route) => {
    const [, , , , id, rest] = new URL(route.request().url()).pathname.split('/');
    if (rest === 'test') return await route.fulfill({ status: 202, json: testOf(id) });
    const found = ITEMS.find((item) => item.id === id);
    if (rest === 'deliveries') return await route.fulfill({ json: { items: [testOf(id), ...deliveries] } });
    await route.fulfill({ json: id === undefined ? { items: ITEMS } : found });
  });
}

/** The test of a subscription arrives if its others do. */
function testOf(id: string | undefined): Schemas['Delivery'] {
  const why = ITEMS.find((item) => item.id === id)?.state_reason ?? null;
  return delivery('dlv_0', 0, { kind: 'test', events: [], state: why === null ? 'delivered' : 'failed', error: why });
}
