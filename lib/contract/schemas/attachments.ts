import * as z from 'zod';
import { integerParameter } from './fields/text.ts';

export const attachmentsQuery = z.object({
  attempt: integerParameter({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description: 'An earlier attempt; default: the newest.',
  }),
});

/** A file that an attempt left. */
export const attachment = z
  .object({
    name: z.string().meta({
      description:
        'Names it in an address, once percent-encoded like any segment: the path, with `%` written as `%25` and `/` as `%2F`.',
      example: 'report%2Fsummary.md',
    }),
    path: z.string().meta({
      description: 'Relative to the folder that the agent was given as `$PROMPTQ_ATTACHMENTS`.',
      example: 'report/summary.md',
    }),
    bytes: z.number().int(),
    sha256: z.string().meta({ description: 'Hex.' }),
    content_type: z.string().meta({ description: 'What it is by its name. Downloads are always sent as bytes.' }),
    attempt: z.number().int(),
  })
  .meta({ id: 'Attachment' });

/** `GET /jobs/{id}/attachments`. */
export const attachmentList = z
  .object({ id: z.string(), attempt: z.number().int(), items: z.array(attachment) })
  .meta({ id: 'AttachmentList' });

/** `GET /jobs/{id}/attachments/{name}`. */
export const attachmentContent = z.string().meta({
  description: 'The bytes as the agent left them.',
  override: { type: 'string', format: 'binary' },
});
