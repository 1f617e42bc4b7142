import { createHash, randomBytes } from 'node:crypto';
import { encodeId } from '../lifecycle/job-id.ts';

/** The id of a message: 130 random bits, or derived from the key that makes it its owner's same message. */
export function messageId(jobId: string, owner: string, idempotencyKey: string | undefined): string {
  const bytes =
    idempotencyKey === undefined
      ? randomBytes(32)
      : createHash('sha256').update(`promptq message\0${jobId}\0${owner}\0${idempotencyKey}`).digest();
  return encodeId('msg', bytes);
}

/** A message as the agent reads it. The id shows whether a session has it. */
export function messageText({ id, text }: { readonly id: string; readonly text: string }): string {
  return `Message ${id}:\n${text}`;
}

/** Finds the ids of messages in a session. */
export const MESSAGE_HEADING = /Message (msg_[0-9a-hjkmnp-tv-z]{26}):/g;
/** Bytes of the longest text that `MESSAGE_HEADING` finds. */
export const MESSAGE_HEADING_BYTES = 39;
