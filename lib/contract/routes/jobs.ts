import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { defineRoute } from '../route.ts';
import { integerParameter } from '../schemas/fields/text.ts';
import {
  draftEdit,
  job,
  jobCreated,
  jobCreation,
  jobEdit,
  jobReplacement,
  jobStatus,
  rereadJob,
} from '../schemas/job.ts';
import { jobList, jobListQuery } from '../schemas/job-list.ts';

export const jobParams = z.object({ id: z.string().min(1).meta({ description: 'Id of a job.' }) });

export const createJob = defineRoute({
  id: 'jobs.create',
  method: 'POST',
  path: '/jobs',
  scope: 'write',
  summary: 'Create a job',
  description:
    'The job is queued for a worker, or kept as a draft. A 201 is a promise: the job is stored and will not be lost.',
  body: jobCreation,
  responses: {
    201: {
      description: 'The job is stored.',
      schema: jobCreated,
      headers: {
        Location: 'Path of the job in this API: `/api/v1/jobs/{id}`.',
        'Idempotent-Replayed':
          '`true` when the idempotency key was known and the id is that of the job that was there.',
      },
    },
  },
  errors: ['invalid_request'],
  mode: 'buffered',
  access: { jobs: 'write', registry: 'write', output: 'write', permits: 'send' },
});

export const listJobs = defineRoute({
  id: 'jobs.list',
  method: 'GET',
  path: '/jobs',
  scope: 'read',
  summary: 'List jobs',
  description:
    'The newest first unless `order` says otherwise. Filters are combined. Counts may lag writes by a second; they never drift.',
  query: jobListQuery,
  responses: { 200: { description: 'A page of jobs.', schema: jobList } },
  errors: ['invalid_request'],
  mode: 'buffered',
  access: { jobs: 'read', registry: 'read' },
});

export const readJob = defineRoute({
  id: 'jobs.read',
  method: 'GET',
  path: '/jobs/{id}',
  scope: 'read',
  summary: 'Read a job',
  description: 'All fields, with the texts that the job was created with.',
  params: jobParams,
  responses: { 200: { description: 'The job with all its fields.', schema: job } },
  errors: ['job_not_found', 'invalid_request'],
  mode: 'stream',
  access: { jobs: 'read', registry: 'read', output: 'read', queue: 'read' },
});

export const readJobStatus = defineRoute({
  id: 'jobs.status',
  method: 'GET',
  path: '/jobs/{id}/status',
  scope: 'read',
  summary: "Read a job's lifecycle status",
  description: 'With `wait` the answer comes when the state changes, or after that many seconds.',
  params: jobParams,
  query: z.object({
    wait: integerParameter({
      min: 0,
      max: LIMITS.statusWaitSeconds,
      description: 'Seconds to hold the answer until the state changes.',
    }),
  }),
  responses: { 200: { description: 'The status.', schema: jobStatus } },
  errors: ['job_not_found', 'invalid_request'],
  mode: 'buffered',
  access: { jobs: 'read', registry: 'read' },
});

const edit = {
  path: '/jobs/{id}',
  scope: 'write',
  audited: true,
  description: 'Only while the job is QUEUED. What is absent or null stays as it is.',
  params: jobParams,
  responses: { 200: { description: 'The job as it now is.', schema: job } },
  errors: ['job_not_found', 'invalid_request', 'invalid_state'],
  mode: 'stream',
  access: { jobs: 'write', registry: 'write', output: 'write', permits: 'send' },
} as const;

export const editJob = defineRoute({
  ...edit,
  id: 'jobs.edit',
  method: 'PATCH',
  summary: 'Edit a queued job',
  body: jobEdit,
});

export const replaceJob = defineRoute({
  ...edit,
  id: 'jobs.replace',
  method: 'PUT',
  summary: 'Edit a queued job, sending it back as read',
  body: jobReplacement,
});

export const editDraft = defineRoute({
  ...edit,
  id: 'jobs.edit-draft',
  method: 'PATCH',
  path: '/jobs/{id}/draft',
  summary: 'Edit a draft',
  description:
    'Only while the job is DRAFT. Each field is validated as on creation; the project can change too. What is absent or null stays as it is.',
  body: draftEdit,
});

const action = {
  scope: 'write',
  audited: true,
  params: jobParams,
  body: z.strictObject({}),
  bodyOptional: true,
  responses: { 200: { description: 'The job as it now is.', schema: job } },
  errors: ['job_not_found', 'invalid_request', 'invalid_state'],
  mode: 'stream',
  access: { jobs: 'write', registry: 'read', output: 'read', permits: 'send' },
} as const;

export const submitJob = defineRoute({
  ...action,
  id: 'jobs.submit',
  method: 'POST',
  path: '/jobs/{id}/submit',
  summary: 'Queue a draft',
  description: 'A worker takes the job from then on. Only while the job is DRAFT.',
});

export const cancelJob = defineRoute({
  ...action,
  id: 'jobs.cancel',
  method: 'POST',
  path: '/jobs/{id}/cancel',
  summary: 'Cancel a job',
  description:
    'A running job is CANCELLED once its processes have ended: the agent is asked, and killed after 10 seconds. Nothing follows from it, even if the agent ends successfully first.',
});

export const deleteJob = defineRoute({
  ...action,
  body: undefined,
  id: 'jobs.delete',
  method: 'DELETE',
  path: '/jobs/{id}',
  summary: 'Cancel a job',
  description: 'The same as the action cancel. The job and its output can still be read.',
});

export const killJob = defineRoute({
  ...action,
  id: 'jobs.kill',
  method: 'POST',
  path: '/jobs/{id}/kill',
  summary: 'Kill a running job',
  description:
    'Its processes are ended without being asked first. The job is CANCELLED even if it ends successfully before that.',
});

export const retryJob = defineRoute({
  ...action,
  id: 'jobs.retry',
  method: 'POST',
  path: '/jobs/{id}/retry',
  summary: 'Run an ended job again',
  description: 'The same job gets another attempt; earlier attempts and their output stay.',
});

export const rereadLogs = defineRoute({
  ...action,
  id: 'jobs.reread-logs',
  method: 'POST',
  path: '/jobs/{id}/reread-logs',
  summary: 'Rebuild the record of a job from its stored output',
  description:
    'Sizes, hashes, usage, session and messages of every attempt are worked out anew; follow-up jobs that are missing are made. An attempt that is running is left alone. A second time changes nothing.',
  responses: { 200: { description: 'The job as it now is, and what was done.', schema: rereadJob } },
  errors: ['job_not_found', 'invalid_request'],
  access: { jobs: 'write', registry: 'write', output: 'write', permits: 'send' },
});

export const refuseAction = defineRoute({
  id: 'jobs.refuse-action',
  method: 'POST',
  path: '/jobs/{id}/{action}',
  scope: 'write',
  summary: 'Any other action',
  description: 'There is no such action: refused.',
  params: jobParams.extend({ action: z.string().min(1).meta({ description: 'A name that is no action.' }) }),
  responses: {},
  errors: ['job_not_found', 'invalid_action'],
  mode: 'buffered',
  access: { jobs: 'read' },
});
