import { LIMITS } from '../limits.ts';
import { defineRoute } from '../route.ts';
import { attachmentContent } from '../schemas/jobs/attachments.ts';
import { fileList, fileQuery, filesQuery } from '../schemas/jobs/files.ts';
import { jobParams } from './jobs.ts';

const { count, fileBytes, totalBytes } = LIMITS.files;

export const listFiles = defineRoute({
  id: 'files.list',
  method: 'GET',
  path: '/jobs/{id}/files',
  auth: { kind: 'principal', scope: 'attachments' },
  summary: "List the files in a job's folder",
  description: `When an attempt ends, a copy of the files in its job's folder is kept, with all secrets in it masked: at most ${count} entries are listed, and ${fileBytes} bytes of a file and ${totalBytes} bytes of all of them are kept. Links are never followed. \`.git\`, \`node_modules\` and similar folders are listed by name only. The copy is removed with the job.`,
  params: jobParams,
  query: filesQuery,
  responses: { 200: { description: 'The files, as one attempt left them.', schema: fileList } },
  errors: ['job_not_found', 'output_deleted', 'invalid_request'],
  mode: 'stream',
  access: { jobs: 'read', output: 'read' },
});

export const readFile = defineRoute({
  id: 'files.read',
  method: 'GET',
  path: '/jobs/{id}/files/content',
  auth: { kind: 'principal', scope: 'attachments' },
  summary: "Download a file of a job's folder",
  description:
    'The file is always sent as a download, so that browsers never display it. The `details` of a 404 say why a file that is listed is not kept.',
  params: jobParams,
  query: fileQuery,
  responses: {
    200: {
      description: 'The file.',
      otherMedia: { 'application/octet-stream': attachmentContent },
      headers: { 'Content-Disposition': 'The file name to save the download under.' },
    },
  },
  errors: ['job_not_found', 'output_deleted', 'not_found', 'invalid_request'],
  mode: 'stream',
  access: { jobs: 'read', output: 'read' },
});
