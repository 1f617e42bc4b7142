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

const writtenShape = {
  webhook: z
    .strictObject(webhookShape, { error: unknownMember(webhookShape) })
    .optional()
    .meta({ description: 'Signed calls in the format of Standard Webhooks.' }),
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
  })
  .meta({ id: 'SubscriptionTarget' });
export type TargetView = z.output<typeof targetView>;
