import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { defineRoute } from '../route.ts';
import { attachmentContent, attachmentList, attachmentsQuery } from '../schemas/jobs/attachments.ts';
import { jobParams } from './jobs.ts';

export const listAttachments = defineRoute({
  id: 'attachments.list',
  method: 'GET',
  path: '/jobs/{id}/attachments',
  auth: { kind: 'principal', scope: 'attachments' },
  summary: 'List the attachments of a job',
  description: `When an attempt ends, for any reason, the files in its folder \`$PROMPTQ_ATTACHMENTS\` are stored: at most ${LIMITS.attachments.count} files, ${LIMITS.attachments.fileBytes} bytes each and ${LIMITS.attachments.totalBytes} bytes in total. The job's \`warnings\` list the files that were not stored. Files are stored byte for byte, without masking secrets.`,
  params: jobParams,
  query: attachmentsQuery,
  responses: { 200: { description: 'The attachments of one attempt.', schema: attachmentList } },
  errors: ['job_not_found', 'output_deleted', 'invalid_request'],
  mode: 'stream',
  access: { jobs: 'read', output: 'read' },
});

export const readAttachment = defineRoute({
  id: 'attachments.read',
  method: 'GET',
  path: '/jobs/{id}/attachments/{name}',
  auth: { kind: 'principal', scope: 'attachments' },
  summary: 'Download an attachment',
  description: 'The file is always sent as a download, so that browsers never display it.',
  params: jobParams.extend({
    name: z.string().min(1).meta({ description: 'The `name` of the attachment in the list, percent-encoded.' }),
  }),
  query: attachmentsQuery,
  responses: {
    200: {
      description: 'The file.',
      otherMedia: { 'application/octet-stream': attachmentContent },
      headers: { 'Content-Disposition': 'The file name to save the download under.' },
    },
    303: {
      description: `The file is larger than ${LIMITS.streamedBytes} bytes. Fetch it from \`Location\` within ${LIMITS.redirectSeconds} seconds, without credentials.`,
      headers: { Location: 'A temporary URL of the file.' },
    },
  },
  errors: ['job_not_found', 'output_deleted', 'not_found', 'invalid_request'],
  mode: 'stream',
  access: { jobs: 'read', output: 'read' },
});
