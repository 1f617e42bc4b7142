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

/** Why a job is in the state it is in. `message` may be refined with what is known; `retryable`: whether it goes on by itself. */
export const REASONS = {
  draft: { message: 'The job is a draft. Queue it to run it.', retryable: false },
  waiting_for_worker: { message: 'Waiting for a free worker.', retryable: true },
  retry_backoff: { message: 'The last attempt failed; the next one starts after a pause.', retryable: true },
  worker_lost: { message: 'The worker of the last attempt was lost.', retryable: true },
  account_required: { message: 'The vendor account is not linked; the job starts once it is.', retryable: true },
  usage_limit: { message: "The vendor's usage limit is reached; the job starts when it is over.", retryable: true },
  folder_busy: {
    message:
      'Another job works in this folder, which its project gives to one at a time; this one starts when it is free.',
    retryable: true,
  },
  profile_busy: {
    message: 'As many jobs of this profile run as it allows at once; this one starts when one of them ends.',
    retryable: true,
  },
  running: { message: 'A worker is running the job.', retryable: false },
  cancelling: { message: 'The job was asked to end; its processes are being ended.', retryable: false },
  cancelled_by_request: { message: 'Cancelled by request.', retryable: false },
  killed_by_request: { message: 'Killed by request.', retryable: false },
  exited: { message: 'The process ended.', retryable: false },
  agent_error: { message: 'The agent reported an error.', retryable: false },
  timed_out: { message: 'The attempt took longer than it was allowed to.', retryable: false },
  start_failed: { message: 'The attempt could not be started.', retryable: false },
  output_limit: { message: 'The output of the attempt could not be kept in full.', retryable: false },
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
    retryable: z.boolean().meta({ description: 'Whether the job goes on by itself.' }),
    next_check_at: timestamp.optional(),
  })
  .meta({
    id: 'StateReason',
    example: { code: 'exited', message: REASONS.exited.message, retryable: false },
    description:
      'Why the job is in its state. Never empty. While an earlier version answers, as after a rollback, `code` and the state of a job can be ones that only a later version lists.',
  });

export const usage = z
  .object({
    input_tokens: z.number().int(),
    cached_input_tokens: z.number().int(),
    output_tokens: z.number().int(),
    reasoning_output_tokens: z.number().int(),
    cost_usd: z.number().optional(),
  })
  .meta({ id: 'Usage', description: "What the agent's own events counted." });

/** Neither agent takes a prompt of nothing but whitespace. */
const promptText = z
  .string()
  .min(1, { error: 'expected a non-empty string', abort: true })
  .refine((text) => text.trim() !== '', 'expected more than whitespace');

/** An integer that survives JSON in every client. */
export const safeInteger = z.number().int('expected a whole number').meta({ format: 'int64' });

/** The settings that an edit may change too. */
const editableShape = {
  prompt: promptText.optional().meta({
    description: 'The prompt: more than whitespace. Required unless `base_prompt` is given.',
    example: 'Say hello.',
  }),
  base_prompt: promptText
    .optional()
    .meta({ description: 'Another name of `prompt`; if both are given they must be equal.' }),
  extra_prompt: z.string().optional().meta({ description: 'Added after the prompt.' }),
  rule_ids: z
    .array(z.string().min(1).max(LIMITS.nameLength))
    .max(LIMITS.rulesPerJob)
    .optional()
    .meta({ description: 'Rules whose texts go before the prompt, in this order.' }),
  profile: z
    .string()
    .min(1)
    .max(LIMITS.nameLength)
    .optional()
    .meta({ description: "Name of an execution profile; default: the deployment's." }),
  model: nameText(LIMITS.nameLength).optional().meta({ description: "Overrides the profile's model." }),
  priority: safeInteger.optional().meta({ description: 'Higher runs earlier. Default 0.', example: 0 }),
  timeout: timeoutNumber()
    .optional()
    .meta({ description: "Per attempt, in the deployment's unit: `info.x-timeout-unit` of this document says which." }),
  retries: wholeNumber(LIMITS.retries)
    .optional()
    .meta({ description: 'How many more attempts a failure gets. Default 0.' }),
  title: z
    .string()
    .normalize('NFC')
    .max(LIMITS.titleLength)
    .refine(isLegible, LEGIBLE)
    .optional()
    .meta({ description: `What lists show instead of the prompt. Empty: none. ${NAME_NOTE}`, example: 'Greeting' }),
  tags: z
    .array(nameText(LIMITS.tags.length))
    .max(LIMITS.tags.count)
    .optional()
    .meta({ description: 'Words to find the job by; repeated ones count once. An empty list: none.' }),
  cwd: pathText(LIMITS.cwdLength).optional().meta({
    description:
      "Working folder, created if missing. Relative: below the workspace of the project; absolute: below an allowed root. A project's own folder and the private folder of another job are refused. Default: a private folder. No control, bidirectional or invisible characters.",
  }),
};

export const projectName = nameText(LIMITS.projectNameLength);

/** The settings that an edit of a draft may change too. */
const draftShape = {
  ...editableShape,
  project_id: projectName
    .optional()
    .meta({ description: `Id or name; an unknown project is created. Default \`local_project\`. ${NAME_NOTE}` }),
  project: projectName.optional().meta({ description: 'Another way to give `project_id`.' }),
};

/** `POST /jobs`. Unknown fields are refused, so that a typo in `timeout` can't pass silently. */
export const jobCreation = z
  .strictObject({
    ...draftShape,
    copied_from: z.string().min(1).max(LIMITS.nameLength).optional().meta({
      description: 'Id of the job that this one was made from, such as with "Run again with changes". It must exist.',
    }),
    idempotency_key: z
      .string()
      .min(1)
      .max(LIMITS.idempotencyKeyLength)
      .optional()
      .meta({ description: 'One key, one job: a repeat answers with the id of the job that is there.' }),
    save_draft: z.boolean().optional().meta({ description: 'Store the job as a draft that no worker takes.' }),
    draft: z
      .boolean()
      .optional()
      .meta({ description: 'Another name of `save_draft`; either being true makes a draft.' }),
  })
  // Within `allOf`, as generators of clients make a union of a schema with `anyOf` and lose its members.
  .meta({
    id: 'JobCreation',
    override: { allOf: [{ anyOf: [{ required: ['prompt'] }, { required: ['base_prompt'] }] }] },
  });
export type JobCreation = z.output<typeof jobCreation>;

/** What an agent can ask for in a block `follow-up-job`; its identity follows from the job that asked. */
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
      description: "The job's page in the console. Null while the deployment has no public address.",
      example: 'https://queue.example.com/jobs/job_4k2q0v9m6s8x1c3b5n7h2j4d6f',
    }),
  })
  .meta({ id: 'JobCreated' });

const lifecycleShape = {
  id: z.string(),
  status: jobState,
  state_reason: stateReason,
  attempt: z.number().int().meta({ description: 'Number of the newest attempt; 0 before the first.' }),
  queued_at: timestamp.nullable(),
  started_at: timestamp.nullable(),
  finished_at: timestamp.nullable(),
  updated_at: timestamp,
};

/** `GET /jobs/{id}/status`. */
export const jobStatus = z
  .object({ ...lifecycleShape, terminal: z.boolean().meta({ description: 'Whether the job has come to its end.' }) })
  .meta({ id: 'JobLifecycle' });

/** What only an attempt can tell; shared by a job and its result. */
export const outcomeShape = {
  exit_code: z.number().int().nullable(),
  signal: z.string().nullable(),
  error: z.string().nullable(),
  usage: usage.nullable(),
  session_id: z.string().nullable().meta({ description: "The agent's own id of its session." }),
  stdout_bytes: z.number().int(),
  stderr_bytes: z.number().int(),
};

/** What a job and its line of a list show of how it runs and what it is called. */
export const namedShape = {
  title: z.string().nullable(),
  tags: z.array(z.string()),
  agent: knownOrLater(AGENTS).nullable().meta({
    description:
      "The agent that ran the newest attempt; before that the profile's. Null for a job that an earlier version made and that has not run since.",
  }),
  model_used: z.string().nullable().meta({
    description:
      "The model of the newest attempt that has ended: what its agent's output names, else what the agent was told to use. Null while nothing is known, and where the agent used its own default without naming it.",
  }),
  timeout_effective_seconds: z.number().nullable().meta({
    description: "How long an attempt may take, with the profile's default, in seconds. Null: no limit.",
  }),
  copied_from: z.string().nullable().meta({ description: 'The job that this one was made from.' }),
};

/** What a queued job waits behind. */
export const queuePlace = z
  .object({
    ahead: z.number().int().nullable().meta({
      description:
        'Jobs before this one: of its project and of like priority (above 0, 0, or below), or those that wait for the same folder or profile. Null while it waits for the vendor, as do others that go on together.',
    }),
    ahead_complete: z
      .boolean()
      .meta({ description: 'Whether `ahead` is all of them; else there are at least so many.' }),
    held_by: z.array(z.string()).meta({
      description: 'The jobs that have the folder, or the turns of the profile, that this one waits for.',
    }),
  })
  .meta({ id: 'QueuePlace', example: { ahead: 2, ahead_complete: true, held_by: [] } });

/** How one attempt of a job went. */
export const jobAttempt = z
  .object({
    attempt: z.number().int(),
    status: knownOrLater(STATUSES).nullable().meta({
      description:
        'SUCCEEDED, FAILED or CANCELLED, or RUNNING. QUEUED: the attempt had no outcome, and the job waited for another one. Null: its record cannot be read.',
    }),
    state_reason: stateReason.nullable().meta({ description: 'Null: the record of the attempt cannot be read.' }),
    started_at: timestamp
      .nullable()
      .meta({ description: 'Null where it is not recorded, as when its worker was lost.' }),
    finished_at: timestamp.nullable(),
    exit_code: z.number().int().nullable(),
    signal: z.string().nullable(),
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
    deployments: z.array(jobDeployment).meta({ description: "What the project's deploy bindings did with the job." }),
    changes: changes.nullable(),
    queue: queuePlace.nullable().meta({
      description: 'Only in the answer of `GET /jobs/{id}`, and null for a job that is not QUEUED.',
    }),
    attempts: z
      .array(jobAttempt)
      .nullable()
      .meta({
        description: `How the newest ${LIMITS.attemptsPerJob} attempts went, the newest first. Only in the answer of \`GET /jobs/{id}\`, else null. \`GET /jobs/{id}/result?attempt=N\` has all of an attempt.`,
      }),
  })
  .meta({ id: 'Job' });
export type JobView = z.output<typeof job>;

/** `POST /jobs/{id}/reread-logs`. */
export const rereadJob = job
  .extend({
    refreshed: z
      .array(z.string())
      .meta({ description: 'What was wrong and is right now: fields of the job, or `attempt N: …` of its record.' }),
    recovered_follow_up_ids: z
      .array(z.string())
      .meta({ description: 'Follow-up jobs that were missing and are there now.' }),
  })
  .meta({ id: 'RereadJob' });

/** `PUT /jobs/{id}`: what was read may be sent back with changes; members that can't be edited must have their present values. */
export const jobReplacement = z
  .strictObject({
    ...Object.fromEntries(
      Object.keys(job.shape).map((name) => [
        name,
        z.unknown().optional().meta({ description: 'As read.', override: {} }),
      ]),
    ),
    ...editableShape,
  } as typeof editableShape)
  .meta({ id: 'JobReplacement' });
