import { EVENT_TYPES } from '../contract/event-types.ts';
import type { CommandSpec } from './base/context.ts';
import { JSON_OPTION } from './jobs/job-options.ts';

/** Commands of subscriptions. */
export const SUBSCRIPTION_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'subscribe',
    about: 'have events sent to a program or to people: by default questions, failures, and what accounts need',
    args: [['<name>', 'name of the subscription']],
    options: [
      { flags: '--webhook <url>', about: 'send signed calls to this URL' },
      {
        flags: '--telegram <chat>',
        about: 'send messages to the chat with this id, by the bot whose token is in TELEGRAM_BOT_TOKEN',
      },
      {
        flags: '--slack <channel>',
        about: 'post in this channel as a bot, by the variables SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET',
      },
      { flags: '--slack-webhook', about: 'post by the incoming webhook of the variable SLACK_WEBHOOK_URL' },
      { flags: '--email <address>', about: 'send mails to this address', isList: true },
      {
        flags: '--event <type>',
        about: 'type of events to send, instead of the default',
        isList: true,
        choices: EVENT_TYPES,
      },
      { flags: '--project <name>', about: 'only events of this project' },
      { flags: '--profile <name>', about: 'only events of jobs with this profile' },
      { flags: '--template <name>', about: 'only events of jobs that were created from this template' },
      { flags: '--automation <id>', about: 'only events of jobs that this automation created' },
      { flags: '--creator <name>', about: 'only events of jobs that this token or person created' },
      { flags: '--hourly', about: 'send one message an hour' },
      { flags: '--answers-from <id>', about: 'person who may answer questions in the messenger', isList: true },
      JSON_OPTION,
    ],
    routes: ['subscriptions.create'],
    json: 'Subscription',
    load: async () => await import('./commands/subscribe.ts'),
  },
  {
    name: 'subscriptions',
    about:
      'list subscriptions with their health, or show, test, enable, disable or delete one, or send deliveries again',
    args: [
      [
        '[action]',
        'what to do; default: list',
        ['list', 'show', 'deliveries', 'test', 'resend', 'enable', 'disable', 'rotate-secret', 'delete'],
      ],
      ['[name]', 'name or id of the subscription'],
      ['[delivery]', 'id of the delivery to resend'],
    ],
    options: [JSON_OPTION],
    routes: [
      'subscriptions.list',
      'subscriptions.read',
      'subscriptions.deliveries',
      'subscriptions.test',
      'subscriptions.resend',
      'subscriptions.edit',
      'subscriptions.delete',
    ],
    json: 'SubscriptionList',
    load: async () => await import('./commands/subscriptions.ts'),
  },
];
