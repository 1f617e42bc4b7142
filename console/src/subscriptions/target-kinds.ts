import { TARGET_KINDS } from '../../../lib/contract/schemas/subscription-target.ts';
import type { Subscription } from './subscription-queries.ts';

/** A field of a target. */
export interface TargetField {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  /** Whether the service never returns it. */
  readonly isSecret?: true;
  /** Whether it holds several values, separated by commas. */
  readonly isList?: true;
  /** Whether it may be left empty. */
  readonly isOptional?: true;
}

/** A way to be notified, as the form offers it. */
export interface TargetChoice {
  readonly value: string;
  /** Its member in the API. Slack has two ways. */
  readonly kind: string;
  readonly label: string;
  readonly description: string;
  readonly fields: readonly TargetField[];
  /** Whether a question can be answered there. */
  readonly canAnswer: boolean;
}

const CHOICES: readonly TargetChoice[] = [
  {
    value: 'slack-bot',
    kind: 'slack',
    label: 'Slack, by a bot',
    description: 'Messages with buttons: questions can be answered in Slack.',
    canAnswer: true,
    fields: [
      {
        name: 'bot_token',
        label: 'Bot token',
        hint: 'Of a Slack app with the right chat:write: OAuth & Permissions, Bot User OAuth Token. It begins with xoxb-.',
        isSecret: true,
      },
      {
        name: 'channel',
        label: 'Channel',
        hint: 'Its ID, such as C024BE91L (in Slack, at the end of its details), or # and its name. Invite the bot there.',
      },
      {
        name: 'signing_secret',
        label: 'Signing secret',
        hint: 'Of the same app: Basic Information, App Credentials. It proves that an answer comes from Slack.',
        isSecret: true,
      },
    ],
  },
  {
    value: 'slack-address',
    kind: 'slack',
    label: 'Slack, by an address',
    description: 'Messages only, with a link to answer here. The quickest to set up.',
    canAnswer: false,
    fields: [
      {
        name: 'webhook_url',
        label: 'Incoming webhook',
        hint: 'An address that begins with https://hooks.slack.com/. Keep it secret: it is the right to post.',
        isSecret: true,
      },
    ],
  },
  {
    value: 'telegram',
    kind: 'telegram',
    label: 'Telegram',
    description: 'Messages with buttons: questions can be answered by a press or a reply.',
    canAnswer: true,
    fields: [
      {
        name: 'bot_token',
        label: 'Bot token',
        hint: 'Create a bot with @BotFather in Telegram; it sends you the token.',
        isSecret: true,
      },
      {
        name: 'chat_id',
        label: 'Chat',
        hint: 'The number of the chat. Start a conversation with the bot first, or add it to the group.',
      },
    ],
  },
  {
    value: 'email',
    kind: 'email',
    label: 'E-mail',
    description: 'Mails with a link to answer here.',
    canAnswer: false,
    fields: [
      { name: 'to', label: 'Recipients', hint: 'Addresses, separated by commas. All are in each mail.', isList: true },
    ],
  },
  {
    value: 'webhook',
    kind: 'webhook',
    label: 'Webhook, for programs',
    description: 'Signed calls in the format of Standard Webhooks, with the whole event.',
    canAnswer: false,
    fields: [
      { name: 'url', label: 'URL', hint: 'An https address on the public internet.' },
      {
        name: 'secret',
        label: 'Signing secret',
        hint: 'Leave it empty to have one generated, which is shown once.',
        isSecret: true,
        isOptional: true,
      },
    ],
  },
];

/** The ways that this version of the service knows. */
export const TARGET_CHOICES = CHOICES.filter(({ kind }) => (TARGET_KINDS as readonly string[]).includes(kind));

/** The way of a stored subscription; undefined if a later version of the service made it. */
export function choiceOf({ target }: Pick<Subscription, 'target'>): TargetChoice | undefined {
  const [kind, settings] = memberOf(target);
  const ways = CHOICES.filter((choice) => choice.kind === kind);
  return (
    ways.find(({ fields }) => fields.some(({ name, isSecret }) => !isSecret && settings[name] != null)) ?? ways.at(-1)
  );
}

/** What a stored target says of a field, as it is typed; empty for a secret. */
export function storedText({ target }: Pick<Subscription, 'target'>, { name, isSecret }: TargetField): string {
  const [, settings] = memberOf(target);
  const value = Object.hasOwn(settings, name) && !isSecret ? settings[name] : '';
  return Array.isArray(value) ? value.join(', ') : String(value ?? '');
}

/** Where a subscription sends, in one line, such as `Telegram 1234`. */
export function targetText(subscription: Pick<Subscription, 'target'>): string {
  const choice = choiceOf(subscription);
  if (choice === undefined) return Object.keys(subscription.target)[0] ?? 'unknown';
  const texts = choice.fields.map((field) => storedText(subscription, field)).filter((text) => text !== '');
  return [choice.label.split(',')[0], ...texts].join(' ');
}

function memberOf(target: object): readonly [string, Readonly<Record<string, unknown>>] {
  const [member] = Object.entries(target).filter(([, value]) => value !== undefined);
  return (member ?? ['', {}]) as [string, Readonly<Record<string, unknown>>];
}
