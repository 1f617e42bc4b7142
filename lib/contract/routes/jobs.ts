import * as z from 'zod';
import { RETRY_FROM } from '../job-actions.ts';
import { LIMITS } from '../limits.ts';
import { defineRoute } from '../route.ts';
import { integerParameter } from '../schemas/fields/text.ts';
import {
  cancelledJob,
  job,
  jobRemoved,
  jobReplacement,
  jobStatus,
  outputDeleted,
  rereadJob,
} from '../schemas/jobs/job.ts';
import { draftEdit, jobCreated, jobCreation, jobEdit } from '../schemas/jobs/job-creation.ts';
import { jobList, jobListQuery } from '../schemas/jobs/job-list.ts';

export const jobParams = z.object({ id: z.string().min(1).meta({ description: 'The id of the job.' }) });

export const createJob = defineRoute({
  id: 'jobs.create',
  method: 'POST',
  path: '/jobs',
  auth: { kind: 'principal', scope: 'write' },
  summary: 'Create a job',
  description:
    'The job is queued for a worker, or stored as a draft. When the API answers 201, the job is stored durably.',
  body: jobCreation,
  responses: {
    201: {
      description: 'The job was created.',
      schema: jobCreated,
      headers: {
        Location: 'The path of the job: `/api/v1/jobs/{id}`.',
        'Idempotent-Replayed':
          '`true` if the sender has created a job with this idempotency key before; its id is returned.',
        'Idempotent-Differs':
          'The fields in which the request differs from the first one with its key, separated by commas.',
      },
    },
  },
  errors: ['invalid_request'],
  mode: 'buffered',
  access: { jobs: 'write', registry: 'write', output: 'write', dispatchQueues: 'send' },
});

export const listJobs = defineRoute({
  id: 'jobs.list',
  method: 'GET',
  path: '/jobs',
  auth: { kind: 'principal', scope: 'read' },
  summary: 'List jobs',
  description:
    'Returns jobs, newest first by default. A job must match all filters. `total` counts the jobs that match; `status_counts` counts all jobs, whatever the filters. Counts may lag writes by about a second.',
  query: jobListQuery,
  responses: { 200: { description: 'A page of jobs.', schema: jobList } },
  errors: ['invalid_request'],
  mode: 'buffered',
  access: { jobs: 'read', jobIndexes: ['by-time', 'by-status'], registry: 'read' },
});

export const readJob = defineRoute({
  id: 'jobs.read',
  method: 'GET',
  path: '/jobs/{id}',
  auth: { kind: 'principal', scope: 'read' },
  summary: 'Retrieve a job',
  description: 'Returns all fields of the job, including its prompt texts.',
  params: jobParams,
  responses: { 200: { description: 'The job.', schema: job } },
  errors: ['job_not_found', 'invalid_request'],
  mode: 'stream',
  access: { jobs: 'read', registry: 'read', output: 'read', jobIndexes: ['ready'] },
});

export const readJobStatus = defineRoute({
  id: 'jobs.status',
  method: 'GET',
  path: '/jobs/{id}/status',
  auth: { kind: 'principal', scope: 'read' },
  summary: "Retrieve a job's status",
  description: 'With `wait`, the API answers when the status changes, or after that many seconds.',
  params: jobParams,
  query: z.object({
    wait: integerParameter({
      min: 0,
      max: LIMITS.statusWaitSeconds,
      description: 'How many seconds to wait for the status to change.',
    }),
  }),
  responses: { 200: { description: 'The status.', schema: jobStatus } },
  errors: ['job_not_found', 'invalid_request'],
  mode: 'buffered',
  access: { jobs: 'read', registry: 'read' },
});

const edit = {
  path: '/jobs/{id}',
  auth: { kind: 'principal', scope: 'write' },
  audited: true,
  description: 'The job must be QUEUED. Fields that are absent or null keep their values.',
  params: jobParams,
  responses: { 200: { description: 'The updated job.', schema: job } },
  errors: ['job_not_found', 'invalid_request', 'invalid_state'],
  mode: 'stream',
  access: { jobs: 'write', registry: 'write', output: 'write', dispatchQueues: 'send' },
} as const;

export const editJob = defineRoute({
  ...edit,
  id: 'jobs.edit',
  method: 'PATCH',
  summary: 'Update a queued job',
  body: jobEdit,
});

export const replaceJob = defineRoute({
  ...edit,
  id: 'jobs.replace',
  method: 'PUT',
  summary: 'Replace a queued job',
  body: jobReplacement,
});

export const editDraft = defineRoute({
  ...edit,
  id: 'jobs.edit-draft',
  method: 'PATCH',
  path: '/jobs/{id}/draft',
  summary: 'Update a draft',
  description:
    'The job must be DRAFT. Fields are validated as on creation, and the project can change too. Fields that are absent or null keep their values.',
  body: draftEdit,
});

const action = {
  auth: { kind: 'principal', scope: 'write' },
  audited: true,
  params: jobParams,
  body: z.strictObject({}),
  bodyOptional: true,
  responses: { 200: { description: 'The updated job.', schema: job } },
  errors: ['job_not_found', 'invalid_request', 'invalid_state'],
  mode: 'stream',
  access: { jobs: 'write', registry: 'read', output: 'read', dispatchQueues: 'send' },
} as const;

/** Cancelling a job with its descendants. */
const treeAction = {
  ...action,
  body: z.strictObject({
    tree: z.boolean().default(false).meta({
      description:
        'Whether to cancel all descendants of the job too, even if the job itself has ended. It gets no further ones, unless it is retried.',
    }),
  }),
  responses: { 200: { description: 'The updated job, with the number of cancelled jobs.', schema: cancelledJob } },
  // A fork that ends before its copy is made releases the thread that it forks.
  access: { ...action.access, registry: 'write' },
} as const;

export const submitJob = defineRoute({
  ...action,
  id: 'jobs.submit',
  method: 'POST',
  path: '/jobs/{id}/submit',
  summary: 'Queue a draft',
  description:
    'The job must be DRAFT. It becomes QUEUED, so that a worker can start it. A job that waits with `thread_stopped` starts although an earlier turn of its thread did not succeed.',
  access: { ...action.access, registry: 'write' },
});

export const cancelJob = defineRoute({
  ...treeAction,
  id: 'jobs.cancel',
  method: 'POST',
  path: '/jobs/{id}/cancel',
  summary: 'Cancel a job',
  description:
    'A running job becomes CANCELLED when its processes have ended: the agent is asked to stop, and killed after 10 seconds. A cancelled job creates no follow-up jobs and no deployments, even if the agent succeeds in the meantime. With `"tree": true`, all its descendants are cancelled too: the jobs that it brought about, and theirs.',
});

export const deleteJob = defineRoute({
  ...action,
  body: undefined,
  id: 'jobs.delete',
  method: 'DELETE',
  path: '/jobs/{id}',
  summary: 'Cancel a job',
  description: 'Equivalent to `POST /jobs/{id}/cancel`. The job and its output remain available.',
  // A fork that ends before its copy is made releases the thread that it forks.
  access: { ...action.access, registry: 'write' },
});

export const killJob = defineRoute({
  ...treeAction,
  id: 'jobs.kill',
  method: 'POST',
  path: '/jobs/{id}/kill',
  summary: 'Kill a running job',
  description:
    'The processes of the job are killed at once. The job becomes CANCELLED, even if the agent succeeds in the meantime. With `"tree": true`, all its descendants end too: those that run are killed, and those that wait are cancelled.',
});

export const retryJob = defineRoute({
  ...action,
  id: 'jobs.retry',
  method: 'POST',
  path: '/jobs/{id}/retry',
  summary: 'Retry a job',
  description:
    'Starts another attempt of a job that has ended. Earlier attempts and their output are kept. Not possible once a later turn of its thread has begun, or while a command of a deploy binding works in its folder. With `"from": "session"`, the agent of a FAILED or CANCELLED job continues where it stopped. If its session is missing or refused, it starts from the prompt, with a warning.',
  body: z.strictObject({
    from: z.enum(RETRY_FROM).default('start').meta({
      description:
        'Where the attempt begins: `start`, with the prompt; `session`, where the agent stopped. Default: `start`.',
    }),
  }),
  access: { ...action.access, registry: 'write' },
});

export const rereadLogs = defineRoute({
  ...action,
  id: 'jobs.reread-logs',
  method: 'POST',
  path: '/jobs/{id}/reread-logs',
  summary: 'Rebuild the record of a job from its stored output',
  description:
    'Recalculates sizes, hashes, usage, session and messages of every ended attempt, and creates follow-up jobs that are missing. The operation is idempotent. It may take minutes: after 15 seconds the API sends status 200 and white space until the JSON is ready. A failure after that ends the response without JSON.',
  responses: { 200: { description: 'The updated job, with a list of the corrections.', schema: rereadJob } },
  errors: ['job_not_found', 'output_deleted', 'invalid_request'],
  access: { jobs: 'write', registry: 'write', output: 'write', dispatchQueues: 'send' },
});

export const removeJob = defineRoute({
  id: 'jobs.remove',
  method: 'DELETE',
  path: '/jobs/{id}/data',
  auth: { kind: 'principal', scope: 'admin' },
  audited: true,
  summary: 'Remove an ended job with everything that it holds',
  description:
    "Deletes the job, its prompt texts, title, tags, messages, questions, output, sessions, attachments and deployments. This can't be undone; the audit log keeps who removed it. The job must have ended. Later turns of its thread, and follow-up jobs that share its private folder, have to be removed first, because they hold its texts or files too. Workers delete the folder about an hour later. A removal that was interrupted continues with the next request.",
  params: jobParams,
  responses: { 200: { description: 'The job was removed.', schema: jobRemoved } },
  errors: ['job_not_found', 'invalid_request', 'invalid_state'],
  mode: 'buffered',
  access: { jobs: 'write', registry: 'write', output: 'read', removal: 'jobs' },
});

export const deleteOutput = defineRoute({
  id: 'jobs.delete-output',
  method: 'POST',
  path: '/jobs/{id}/delete-output',
  auth: { kind: 'principal', scope: 'admin' },
  audited: true,
  summary: 'Delete what the attempts of an ended job wrote',
  description:
    "For the day when a secret got into a log. Deletes the output, sessions, final messages, changes, attachments and kept files of all attempts so far, with all versions of their objects, and the agent's questions, errors, warnings and the output of deploy commands. The job stays, with its prompt, messages, state, times and usage. Every later read of its output answers 404 with `output_deleted`. The request answers once everything is deleted. If it is interrupted, the service completes it, as does the same request again. `copies` names the jobs that may repeat some of the output. The folder on the worker is not touched.",
  params: jobParams,
  responses: { 200: { description: 'The output is deleted.', schema: outputDeleted } },
  errors: ['job_not_found', 'invalid_request', 'invalid_state'],
  mode: 'buffered',
  access: { jobs: 'write', registry: 'write', output: 'write', removal: 'output' },
});

export const refuseAction = defineRoute({
  id: 'jobs.refuse-action',
  method: 'POST',
  path: '/jobs/{id}/{action}',
  auth: { kind: 'principal', scope: 'write' },
  summary: 'Unknown action',
  description: 'Answers 400 for any action that the API does not have.',
  params: jobParams.extend({ action: z.string().min(1).meta({ description: 'A name that is not an action.' }) }),
  responses: {},
  errors: ['job_not_found', 'invalid_action'],
  mode: 'buffered',
  access: { jobs: 'read' },
});
