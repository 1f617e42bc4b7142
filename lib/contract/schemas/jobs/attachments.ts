import * as z from 'zod';
import { integerParameter } from '../fields/text.ts';

export const attachmentsQuery = z.object({
  attempt: integerParameter({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description: 'Number of the attempt. Default: the newest.',
  }),
});

/** A file that an attempt produced. */
export const attachment = z
  .object({
    name: z.string().meta({
      description:
        'The `path` with `%` written as `%25` and `/` as `%2F`. Percent-encode it once more to use it in a URL.',
      example: 'report%2Fsummary.md',
    }),
    path: z.string().meta({
      description: 'Path relative to the folder `$PROMPTQ_ATTACHMENTS` of the agent.',
      example: 'report/summary.md',
    }),
    bytes: z.number().int(),
    sha256: z.string().meta({ description: 'SHA-256 of the file, in hexadecimal.' }),
    content_type: z.string().meta({
      description: 'Media type guessed from the name. Downloads are always sent as `application/octet-stream`.',
    }),
    attempt: z.number().int(),
  })
  .meta({ id: 'Attachment' });

/** `GET /jobs/{id}/attachments`. */
export const attachmentList = z
  .object({ id: z.string(), attempt: z.number().int(), items: z.array(attachment) })
  .meta({ id: 'AttachmentList' });

/** `GET /jobs/{id}/attachments/{name}`. */
export const attachmentContent = z.string().meta({
  description: 'The bytes of the file.',
  override: { type: 'string', format: 'binary' },
});
