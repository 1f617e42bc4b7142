import * as z from 'zod';
import { knownOrLater } from '../../later-code.ts';
import { LIMITS } from '../../limits.ts';
import { unknownMember } from '../fields/entry.ts';
import { timestamp } from '../fields/text.ts';
import { replayShape } from './job-creation.ts';

const { textBytes } = LIMITS.messages;

const creationShape = {
  text: z
    .string()
    .refine((text) => new TextEncoder().encode(text).length <= textBytes, {
      error: `expected at most ${textBytes} bytes`,
      abort: true,
    })
    .refine((text) => text.trim() !== '', 'expected more than whitespace')
    .meta({
      description: `What to tell the agent, at most ${textBytes} bytes.`,
      example: 'Leave the tests as they are.',
    }),
  idempotency_key: z.string().min(1).max(LIMITS.idempotencyKeyLength).optional().meta({
    description:
      'Identifies the message in its job: a repeated request of its sender with the same key adds none and returns its id.',
  }),
  only_now: z.boolean().optional().meta({
    description:
      'Whether the message is only for this job. If not, and if the job succeeds or fails before its agent has the message, it becomes the prompt of the next turn of the thread.',
  }),
};

/** Body of `POST /jobs/{id}/messages`. */
export const messageCreation = z
  .strictObject(creationShape, { error: unknownMember(creationShape) })
  .meta({ id: 'MessageCreation' });
export type MessageCreation = z.output<typeof messageCreation>;

/** 202 of `POST /jobs/{id}/messages`. */
export const messageAccepted = z
  .object({ id: z.string().meta({ description: 'The id of the message.' }), ...replayShape })
  .meta({ id: 'MessageAccepted' });

const MESSAGE_STATUSES = ['pending', 'delivered', 'not_delivered'] as const;

export const message = z
  .object({
    id: z.string(),
    text: z.string(),
    status: knownOrLater(MESSAGE_STATUSES).meta({
      description:
        '`pending`: the agent gets it with its next attempt, or while it runs. `delivered`: it is in the session of the agent. `not_delivered`: the job ended first; `next_job_id` may have it.',
    }),
    created_at: timestamp,
    created_by: z.string().meta({ description: 'The sender.' }),
    delivered_at: timestamp.nullable().meta({ description: 'When the agent had it in its session.' }),
    attempt: z.number().int().nullable().meta({ description: 'The attempt that it was delivered to.' }),
    reason: z.string().nullable().meta({ description: 'Why it was not delivered.' }),
    next_job_id: z.string().nullable().meta({
      description: 'The job whose prompt it became, as the next turn of the thread, because the job ended first.',
    }),
  })
  .meta({ id: 'Message' });
export type MessageView = z.output<typeof message>;

/** `GET /jobs/{id}/messages`. */
export const messageList = z.object({ items: z.array(message) }).meta({ id: 'MessageList' });
