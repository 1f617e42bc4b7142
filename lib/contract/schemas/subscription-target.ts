import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { unknownMember } from './fields/entry.ts';

/*
 * Where a subscription sends, by the kind of its target: what clients write, and what they read. A further kind is a line
 * in both tables, and in `TARGETS` and `SENDERS` of lib/subscriptions. Secrets are in the first table only.
 */

const { urlLength } = LIMITS.subscriptions;

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

const writtenShape = {
  webhook: z
    .strictObject(webhookShape, { error: unknownMember(webhookShape) })
    .optional()
    .meta({ description: 'Signed calls in the format of Standard Webhooks.' }),
  telegram: z
    .strictObject(telegramShape, { error: unknownMember(telegramShape) })
    .optional()
    .meta({ description: 'Messages of a bot of Telegram, which `answers_from` can answer.' }),
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
  })
  .meta({ id: 'SubscriptionTarget' });
export type TargetView = z.output<typeof targetView>;
