import { api, type CommandsOf, command } from './page-command.ts';

const HOOK = 'https://hooks.example.com/promptq';
const NEW_SUBSCRIPTION = command(
  'New subscription',
  ['subscribe', 'NAME', '--webhook', HOOK],
  'POST',
  '/subscriptions',
  {
    name: 'NAME',
    target: { webhook: { url: HOOK } },
  },
);

/** What is done with a subscription. */
const ofSubscription = (name: string) => {
  const path = `/subscriptions/${encodeURIComponent(name)}`;
  const act = (label: string, verb: string, method: string, to: string, body?: unknown) =>
    command(label, ['subscriptions', verb, name], method, to, body);
  return [
    act('Deliveries', 'deliveries', 'GET', `${path}/deliveries`),
    act('Send test', 'test', 'POST', `${path}/test`),
    command(
      'Send a delivery again',
      ['subscriptions', 'resend', name, 'DELIVERY'],
      'POST',
      `${path}/deliveries/DELIVERY/resend`,
    ),
    act('Pause', 'disable', 'PATCH', path, { enabled: false }),
    act('Resume', 'enable', 'PATCH', path, { enabled: true }),
    act('Delete', 'delete', 'DELETE', path),
  ];
};

/** What the pages of subscriptions do. */
export const SUBSCRIPTION_COMMANDS: Readonly<Record<string, CommandsOf>> = {
  '/subscriptions': () => [
    command('Subscriptions', ['subscriptions'], 'GET', '/subscriptions'),
    NEW_SUBSCRIPTION,
    ...ofSubscription('NAME'),
  ],
  '/subscriptions/-/new': () => [NEW_SUBSCRIPTION],
  '/subscriptions/:id': (_, { id = 'NAME' }) => [
    command('This subscription', ['subscriptions', 'show', id], 'GET', `/subscriptions/${encodeURIComponent(id)}`),
    ...ofSubscription(id),
  ],
  '/subscriptions/:id/edit': (_, { id = 'NAME' }) => [
    api('Save', 'PATCH', `/subscriptions/${encodeURIComponent(id)}`, { events: ['question.opened'] }),
  ],
};
