import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { unknownMember } from './fields/entry.ts';

/*
 * Where a subscription sends, by the kind of its target: what clients write, and what they read. A further kind is a line
 * in both tables, and in `TARGETS` and `SENDERS` of lib/subscriptions. Secrets are in the first table only.
 */

const { urlLength, recipients } = LIMITS.subscriptions;

const webhookShape = {
  url: z.string().min(1).max(urlLength).meta({
    description: 'https URL that receives the signed calls.',
    example: 'https://hooks.example.com/promptq',
  }),
  secret: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/, 'expected whsec_ and the base64 of 24 to 64 bytes')
    .optional()
    .meta({
      description:
        'Secret that signs the calls, in the format of Standard Webhooks. Default: a generated secret. When it changes, calls are signed with both for a day.',
      writeOnly: true,
    }),
};

const telegramShape = {
  bot_token: z
    .string()
    .regex(/^\d{1,20}:[A-Za-z0-9_-]{20,100}$/, 'expected a token of BotFather, such as 110201543:AAH…')
    .optional()
    .meta({ description: 'Token of the bot. Default on a change: the one that it has.', writeOnly: true }),
  chat_id: z
    .string()
    .regex(/^-?\d{1,20}$/, 'expected the id of a chat, such as 1001 or -1001234567890')
    .meta({ description: 'Id of the chat or group, in which the bot is.', example: '-1001234567890' }),
};

const slackShape = {
  webhook_url: z.string().min(1).max(urlLength).optional().meta({
    description: 'Address of an incoming webhook, which only tells. Instead of the other three.',
    example: 'https://hooks.slack.com/services/T000/B000/KEY',
    writeOnly: true,
  }),
  bot_token: z
    .string()
    .regex(/^xoxb-[A-Za-z0-9-]{8,250}$/, 'expected the token of a bot, which begins with xoxb-')
    .optional()
    .meta({ description: 'Token of a bot with the scope `chat:write`.', writeOnly: true }),
  channel: z
    .string()
    .regex(/^(?:[CGD][A-Z0-9]{6,30}|#[^\s#@<>&]{1,80})$/, 'expected the id of a channel, or # and its name')
    .optional()
    .meta({ description: 'Where the bot posts: the id of a channel, or `#` and its name.', example: 'C0123456789' }),
  signing_secret: z
    .string()
    .regex(/^[A-Za-z0-9]{16,128}$/, 'expected the signing secret of the app')
    .optional()
    .meta({
      description: "The app's signing secret, by which presses of buttons are known to be Slack's.",
      writeOnly: true,
    }),
};

const emailShape = {
  to: z
    .array(z.email().max(320))
    .min(1)
    .max(recipients)
    .meta({ description: 'Recipients, who see each other.', example: ['ada@example.com'] }),
};

const writtenShape = {
  webhook: z
    .strictObject(webhookShape, { error: unknownMember(webhookShape) })
    .optional()
    .meta({ description: 'Signed calls in the format of Standard Webhooks.' }),
  telegram: z
    .strictObject(telegramShape, { error: unknownMember(telegramShape) })
    .optional()
    .meta({ description: 'Messages of a bot of Telegram, which `answers_from` can answer.' }),
  slack: z
    .strictObject(slackShape, { error: unknownMember(slackShape) })
    .optional()
    .meta({ description: 'Messages in a channel of Slack.' }),
  email: z
    .strictObject(emailShape, { error: unknownMember(emailShape) })
    .optional()
    .meta({ description: 'Mails by SES, from the address that the deployment sets.' }),
};

export type TargetKind = keyof typeof writtenShape;
export const TARGET_KINDS = Object.keys(writtenShape) as TargetKind[];

/** A target as written: exactly one member, its kind. */
export const targetWrite = z
  .strictObject(writtenShape, { error: unknownMember(writtenShape) })
  .refine((target) => Object.values(target).filter((one) => one !== undefined).length === 1, {
    error: `expected exactly one of ${TARGET_KINDS.join(', ')}`,
  })
  .meta({
    description: `Where it sends: exactly one of ${TARGET_KINDS.join(', ')}.`,
    example: { webhook: { url: 'https://hooks.example.com/promptq' } },
  });
export type TargetWrite = z.output<typeof targetWrite>;

/** A target as read: the member of its kind. */
export const targetView = z
  .object({
    webhook: z.object({ url: z.string() }).optional(),
    telegram: z.object({ chat_id: z.string() }).optional(),
    slack: z
      .object({
        channel: z.string().nullable().meta({ description: 'Null: the one of an incoming webhook.' }),
      })
      .optional(),
    email: z.object({ to: z.array(z.string()) }).optional(),
  })
  .meta({ id: 'SubscriptionTarget' });
export type TargetView = z.output<typeof targetView>;
