import { LIMITS } from '../limits.ts';
import { defineRoute } from '../route.ts';
import { recordArchive } from '../schemas/jobs/record.ts';
import type { Scope } from '../scopes.ts';
import { jobParams } from './jobs.ts';

/** What a caller needs besides the scope `logs`: the record has what the routes of these scopes return. */
export const RECORD_SCOPES = ['read', 'attachments'] as const satisfies readonly Scope[];

export const readRecord = defineRoute({
  id: 'jobs.record',
  method: 'GET',
  path: '/jobs/{id}/record',
  auth: { kind: 'principal', scope: 'logs' },
  summary: "Download a job's whole record",
  description: `A zip file with the job, its messages and questions, and of every attempt its receipt, final message, output, session, attachments and kept files. Needs the scopes \`read\` and \`attachments\` too. \`manifest.json\`, its last file, lists all parts with bytes and SHA-256. Files that the job named are numbered; the manifest has their paths. Parts beyond ${LIMITS.recordBytes} bytes in all are left out, and the manifest says where to read them. An archive that is cut off has no directory: it can't be opened.`,
  params: jobParams,
  responses: {
    200: {
      description: 'The archive.',
      otherMedia: { 'application/zip': recordArchive },
      headers: { 'Content-Disposition': 'The file name to save the download under.' },
    },
  },
  errors: ['job_not_found', 'invalid_request'],
  mode: 'stream',
  access: { jobs: 'read', registry: 'read', output: 'read' },
});
