import * as z from 'zod';
import { isLegible, LEGIBLE } from '../input/legible.ts';
import { knownOrLater } from '../later-code.ts';
import { LIMITS } from '../limits.ts';
import { isTerminal, STATUSES, type Status, TERMINAL_STATUSES } from '../statuses.ts';
import { changes } from './changes.ts';
import { NAME_NOTE, nameText, pathText } from './fields/name.ts';
import { timeoutNumber, wholeNumber } from './fields/number.ts';
import { timestamp } from './fields/text.ts';
import { jobDeployment } from './job-deployment.ts';
import { AGENTS } from './profile.ts';

export { isTerminal, STATUSES, type Status, TERMINAL_STATUSES };

/** Why a job is in its state. A job can refine `message`. `retryable`: whether the job continues without a request. */
export const REASONS = {
  draft: { message: 'The job is a draft. Queue it to run it.', retryable: false },
  waiting_for_worker: { message: 'Waiting for a free worker.', retryable: true },
  retry_backoff: { message: 'The last attempt failed. The next attempt starts after a delay.', retryable: true },
  worker_lost: { message: 'The worker of the last attempt was lost.', retryable: true },
  account_required: { message: 'The vendor account is not linked. The job starts when it is linked.', retryable: true },
  usage_limit: {
    message: "The vendor's usage limit is reached. The job starts when the limit resets.",
    retryable: true,
  },
  folder_busy: {
    message:
      'Another job uses this folder, and its project allows one job at a time. This job starts when the folder is free.',
    retryable: true,
  },
  profile_busy: {
    message: 'The concurrency limit of the profile is reached. This job starts when another job of the profile ends.',
    retryable: true,
  },
  running: { message: 'A worker is running the job.', retryable: false },
  cancelling: { message: 'Cancel requested. The processes of the job are being stopped.', retryable: false },
  cancelled_by_request: { message: 'Cancelled by request.', retryable: false },
  killed_by_request: { message: 'Killed by request.', retryable: false },
  exited: { message: 'The process ended.', retryable: false },
  agent_error: { message: 'The agent reported an error.', retryable: false },
  timed_out: { message: 'The attempt exceeded its timeout.', retryable: false },
  start_failed: { message: 'The attempt could not be started.', retryable: false },
  output_limit: { message: 'The output of the attempt exceeded what can be stored.', retryable: false },
} as const satisfies Record<string, { message: string; retryable: boolean }>;

export type ReasonCode = keyof typeof REASONS;
export const REASON_CODES = Object.keys(REASONS) as [ReasonCode, ...ReasonCode[]];

/** The state of a job. */
export const jobState = knownOrLater(STATUSES);

/** How many jobs there are in each state. */
export const statusCounts = z
  .object(
    Object.fromEntries(STATUSES.map((status) => [status, z.number().int()])) as Record<
      (typeof STATUSES)[number],
      z.ZodNumber
    >,
  )
  .meta({ id: 'StatusCounts', example: { DRAFT: 1, QUEUED: 3, RUNNING: 2, SUCCEEDED: 120, FAILED: 4, CANCELLED: 0 } });

export const stateReason = z
  .object({
    code: knownOrLater(REASON_CODES),
    message: z.string().meta({ example: REASONS.waiting_for_worker.message }),
    retryable: z.boolean().meta({ description: 'Whether the job continues without a request.' }),
    next_check_at: timestamp.optional(),
  })
  .meta({
    id: 'StateReason',
    example: { code: 'exited', message: REASONS.exited.message, retryable: false },
    description:
      'Why the job is in its state. Always present. After a rollback, `code` and the status of a job can have values that only a later version documents.',
  });

const usage = z
  .object({
    input_tokens: z.number().int(),
    cached_input_tokens: z.number().int(),
    output_tokens: z.number().int(),
    reasoning_output_tokens: z.number().int(),
    cost_usd: z.number().optional(),
  })
  .meta({ id: 'Usage', description: 'Token usage as the agent reported it.' });

/** No agent accepts a prompt that is only whitespace. */
const promptText = z
  .string()
  .min(1, { error: 'expected a non-empty string', abort: true })
  .refine((text) => text.trim() !== '', 'expected more than whitespace');

/** An integer that survives JSON in every client. */
export const safeInteger = z.number().int('expected a whole number').meta({ format: 'int64' });

/** Fields that an update of a queued job can change. */
const editableShape = {
  prompt: promptText.optional().meta({
    description: 'The prompt. It must contain more than whitespace. Required unless `base_prompt` is set.',
    example: 'Say hello.',
  }),
  base_prompt: promptText.optional().meta({ description: 'Alias of `prompt`. If both are set, they must be equal.' }),
  extra_prompt: z.string().optional().meta({ description: 'Text that is added after the prompt.' }),
  rule_ids: z
    .array(z.string().min(1).max(LIMITS.nameLength))
    .max(LIMITS.rulesPerJob)
    .optional()
    .meta({ description: 'Ids of rules whose texts are put before the prompt, in this order.' }),
  profile: z
    .string()
    .min(1)
    .max(LIMITS.nameLength)
    .optional()
    .meta({ description: 'Name of an execution profile. Default: the default profile of the deployment.' }),
  model: nameText(LIMITS.nameLength)
    .optional()
    .meta({ description: 'Model to use instead of the model of the profile.' }),
  priority: safeInteger
    .optional()
    .meta({ description: 'Jobs with a higher priority start earlier. Default: 0.', example: 0 }),
  timeout: timeoutNumber().optional().meta({
    description: 'Maximum duration of an attempt, in the unit that `info.x-timeout-unit` of this document declares.',
  }),
  retries: wholeNumber(LIMITS.retries)
    .optional()
    .meta({ description: 'Number of additional attempts after a failure. Default: 0.' }),
  title: z
    .string()
    .normalize('NFC')
    .max(LIMITS.titleLength)
    .refine(isLegible, LEGIBLE)
    .optional()
    .meta({
      description: `Title that lists show instead of the prompt. Empty: none. ${NAME_NOTE}`,
      example: 'Greeting',
    }),
  tags: z
    .array(nameText(LIMITS.tags.length))
    .max(LIMITS.tags.count)
    .optional()
    .meta({ description: 'Tags to find the job by. Duplicates are dropped. An empty list removes all tags.' }),
  cwd: pathText(LIMITS.cwdLength).optional().meta({
    description:
      'Working folder, created if it does not exist. A relative path is below the workspace of the project; an absolute path must be below an allowed root. The workspace itself and the private folders of other jobs are not allowed. Default: a private folder. No control, bidirectional or invisible characters.',
  }),
};

export const projectName = nameText(LIMITS.projectNameLength);

/** Fields that an update of a draft can change. */
const draftShape = {
  ...editableShape,
  project_id: projectName.optional().meta({
    description: `Id or name of the project. An unknown project is created. Default: \`local_project\`. ${NAME_NOTE}`,
  }),
  project: projectName.optional().meta({ description: 'Alias of `project_id`.' }),
};

/** `POST /jobs`. Unknown fields are rejected, so that a typo in `timeout` can't pass unnoticed. */
export const jobCreation = z
  .strictObject({
    ...draftShape,
    copied_from: z.string().min(1).max(LIMITS.nameLength).optional().meta({
      description: 'Id of an existing job that this one is a copy of, as with "Run again with changes" in the console.',
    }),
    idempotency_key: z
      .string()
      .min(1)
      .max(LIMITS.idempotencyKeyLength)
      .optional()
      .meta({ description: 'A request with a key that was used before returns the id of the existing job.' }),
    save_draft: z.boolean().optional().meta({ description: 'Store the job as a draft. Workers do not start drafts.' }),
    draft: z.boolean().optional().meta({ description: 'Alias of `save_draft`. The job is a draft if either is true.' }),
  })
  // Within `allOf`: client generators turn a schema with `anyOf` into a union and lose its properties.
  .meta({
    id: 'JobCreation',
    override: { allOf: [{ anyOf: [{ required: ['prompt'] }, { required: ['base_prompt'] }] }] },
  });
export type JobCreation = z.output<typeof jobCreation>;

/** Fields of a `follow-up-job` block in an agent's output. Identity comes from the parent job. */
export const followUpCreation = jobCreation.omit({ idempotency_key: true, copied_from: true });
export type FollowUpCreation = z.output<typeof followUpCreation>;

/** `PATCH /jobs/{id}`. */
export const jobEdit = z.strictObject(editableShape).meta({ id: 'JobEdit' });
export type JobEditFields = z.output<typeof jobEdit>;

/** `PATCH /jobs/{id}/draft`. */
export const draftEdit = z.strictObject(draftShape).meta({ id: 'DraftEdit' });
export type DraftEditFields = z.output<typeof draftEdit>;

export const jobCreated = z
  .object({
    id: z.string().meta({ example: 'job_4k2q0v9m6s8x1c3b5n7h2j4d6f' }),
    url: z.string().nullable().meta({
      description: "The job's page in the console. Null if the deployment has no public address.",
      example: 'https://queue.example.com/jobs/job_4k2q0v9m6s8x1c3b5n7h2j4d6f',
    }),
  })
  .meta({ id: 'JobCreated' });

const lifecycleShape = {
  id: z.string(),
  status: jobState,
  state_reason: stateReason,
  attempt: z.number().int().meta({ description: 'Number of the newest attempt, or 0 before the first.' }),
  queued_at: timestamp.nullable(),
  started_at: timestamp.nullable(),
  finished_at: timestamp.nullable(),
  updated_at: timestamp,
};

/** `GET /jobs/{id}/status`. */
export const jobStatus = z
  .object({ ...lifecycleShape, terminal: z.boolean().meta({ description: 'Whether the job has ended.' }) })
  .meta({ id: 'JobLifecycle' });

/** Outcome of an attempt, shared by a job and its result. */
export const outcomeShape = {
  exit_code: z.number().int().nullable(),
  signal: z.string().nullable(),
  error: z.string().nullable(),
  usage: usage.nullable(),
  session_id: z.string().nullable().meta({ description: 'Session id that the agent reported.' }),
  stdout_bytes: z.number().int(),
  stderr_bytes: z.number().int(),
};

/** Fields that a job shares with its entry in a list. */
export const namedShape = {
  title: z.string().nullable(),
  tags: z.array(z.string()),
  agent: knownOrLater(AGENTS).nullable().meta({
    description:
      'Agent of the newest attempt or, before the first attempt, of the profile. Null for a job that an earlier version created and that has not run since.',
  }),
  model_used: z.string().nullable().meta({
    description:
      'Model of the newest attempt that has ended: as its agent reported it, otherwise as requested. Null while unknown, and if the agent used its default model without reporting it.',
  }),
  timeout_effective_seconds: z.number().nullable().meta({
    description: 'Maximum duration of an attempt in seconds, including the default of the profile. Null: no limit.',
  }),
  copied_from: z.string().nullable().meta({ description: 'Id of the job that this one is a copy of.' }),
};

/** Position of a queued job. */
const queuePlace = z
  .object({
    ahead: z.number().int().nullable().meta({
      description:
        'Number of jobs ahead of this one: jobs of its project in the same priority band (above 0, 0 or below 0), or jobs that wait for the same folder or profile. Null while the job waits for the vendor, because all jobs that wait for it continue together.',
    }),
    ahead_complete: z.boolean().meta({ description: 'Whether `ahead` is exact. If false, it is a lower bound.' }),
    held_by: z.array(z.string()).meta({
      description: 'Ids of the jobs that use the folder or the profile slots that this job waits for.',
    }),
  })
  .meta({ id: 'QueuePlace', example: { ahead: 2, ahead_complete: true, held_by: [] } });

/** One attempt of a job. */
const jobAttempt = z
  .object({
    attempt: z.number().int(),
    status: knownOrLater(STATUSES).nullable().meta({
      description:
        "RUNNING, or how the attempt ended: SUCCEEDED, FAILED or CANCELLED. QUEUED: the attempt had no outcome and the job waited for another one. Null: the record of the attempt can't be read.",
    }),
    state_reason: stateReason.nullable().meta({ description: "Null: the record of the attempt can't be read." }),
    started_at: timestamp
      .nullable()
      .meta({ description: 'Null if it was not recorded, for example because the worker was lost.' }),
    finished_at: timestamp.nullable(),
    exit_code: z.number().int().nullable(),
    signal: z.string().nullable(),
    resumed_from: z.number().int().nullable().meta({
      description:
        'Number of the attempt whose session this one continued. Null: it started from the prompt, or its record is missing.',
    }),
  })
  .meta({ id: 'JobAttempt' });

/** `GET /jobs/{id}`. */
export const job = z
  .object({
    ...lifecycleShape,
    ...namedShape,
    prompt: z.string(),
    base_prompt: z.string(),
    extra_prompt: z.string().nullable(),
    rule_ids: z.array(z.string()),
    profile: z.string(),
    model: z.string().nullable(),
    priority: safeInteger,
    timeout: z.number().nullable(),
    timeout_unit: z.string(),
    retries: z.number().int(),
    cwd: z.string().nullable(),
    project_id: z.string(),
    project: z.string(),
    idempotency_key: z.string().nullable(),
    save_draft: z.boolean(),
    draft: z.boolean(),
    created_at: timestamp,
    cancel_requested_at: timestamp.nullable(),
    created_by: z.string(),
    parent_id: z.string().nullable(),
    follow_up_ids: z.array(z.string()),
    worker_id: z.string().nullable(),
    ...outcomeShape,
    version: z.number().int(),
    warnings: z.array(z.string()),
    deployments: z.array(jobDeployment).meta({ description: 'Runs of the deploy bindings of the project.' }),
    changes: changes.nullable(),
    resume_from: z.number().int().nullable().meta({
      description:
        'Number of the interrupted attempt whose session the next attempt continues, or the running one was to continue. Null: attempts start from the prompt.',
    }),
    queue: queuePlace.nullable().meta({
      description: 'Returned only by `GET /jobs/{id}`. Null for a job that is not QUEUED.',
    }),
    attempts: z
      .array(jobAttempt)
      .nullable()
      .meta({
        description: `The newest ${LIMITS.attemptsPerJob} attempts, newest first. Returned only by \`GET /jobs/{id}\`, otherwise null. For the details of an attempt, use \`GET /jobs/{id}/result?attempt=N\`.`,
      }),
  })
  .meta({ id: 'Job' });
export type JobView = z.output<typeof job>;

/** `POST /jobs/{id}/reread-logs`. */
export const rereadJob = job
  .extend({
    refreshed: z.array(z.string()).meta({
      description: "What was corrected: fields of the job, or fields of an attempt's record as `attempt N: …`.",
    }),
    recovered_follow_up_ids: z
      .array(z.string())
      .meta({ description: 'Ids of follow-up jobs that were missing and have been created.' }),
  })
  .meta({ id: 'RereadJob' });

/** `PUT /jobs/{id}`: a job as read, with changes. Fields that can't be changed must keep their current values. */
export const jobReplacement = z
  .strictObject({
    ...Object.fromEntries(
      Object.keys(job.shape).map((name) => [
        name,
        z.unknown().optional().meta({ description: 'The value as read.', override: {} }),
      ]),
    ),
    ...editableShape,
  } as typeof editableShape)
  .meta({ id: 'JobReplacement' });
