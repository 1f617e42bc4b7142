import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { defineRoute } from '../route.ts';
import { attachmentContent, attachmentList, attachmentsQuery } from '../schemas/attachments.ts';
import { jobParams } from './jobs.ts';

export const listAttachments = defineRoute({
  id: 'attachments.list',
  method: 'GET',
  path: '/jobs/{id}/attachments',
  scope: 'attachments',
  summary: 'List the files that a job left',
  description: `What an attempt has put into the folder \`$PROMPTQ_ATTACHMENTS\` is kept when it ends, however it ends: at most ${LIMITS.attachments.count} files, ${LIMITS.attachments.fileBytes} bytes each, ${LIMITS.attachments.totalBytes} bytes in all. What was not kept stands in the job's \`warnings\`. Files are kept byte for byte: secrets are not masked in them.`,
  params: jobParams,
  query: attachmentsQuery,
  responses: { 200: { description: 'The files of one attempt.', schema: attachmentList } },
  errors: ['job_not_found', 'invalid_request'],
  mode: 'stream',
  access: { jobs: 'read', output: 'read' },
});

export const readAttachment = defineRoute({
  id: 'attachments.read',
  method: 'GET',
  path: '/jobs/{id}/attachments/{name}',
  scope: 'attachments',
  summary: 'Download a file that a job left',
  description: 'Always a download, never shown in a browser.',
  params: jobParams.extend({
    name: z.string().min(1).meta({ description: 'The `name` from the list, percent-encoded.' }),
  }),
  query: attachmentsQuery,
  responses: {
    200: {
      description: 'The file.',
      otherMedia: { 'application/octet-stream': attachmentContent },
      headers: { 'Content-Disposition': 'The name to store it under.' },
    },
    303: {
      description: `The file is larger than ${LIMITS.streamedAttachmentBytes} bytes: it is at \`Location\`, for ${LIMITS.redirectSeconds} seconds. Follow without credentials.`,
      headers: { Location: 'Where the file is.' },
    },
  },
  errors: ['job_not_found', 'not_found', 'invalid_request'],
  mode: 'stream',
  access: { jobs: 'read', output: 'read' },
});
