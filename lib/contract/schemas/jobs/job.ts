import * as z from 'zod';
import { AGENTS } from '../../agents.ts';
import { knownOrLater } from '../../later-code.ts';
import { LIMITS } from '../../limits.ts';
import { outputField } from '../../output-fields.ts';
import { STATUSES } from '../../statuses.ts';
import { jobValues } from '../fields/parameter.ts';
import { timestamp } from '../fields/text.ts';
import { changes } from './changes.ts';
import { editableShape, safeInteger } from './job-creation.ts';
import { jobDeployment } from './job-deployment.ts';
import { jobState, stateReason } from './job-state.ts';
import { jobQuestion } from './question.ts';

export const usage = z
  .object({
    input_tokens: z.number().int(),
    cached_input_tokens: z.number().int(),
    output_tokens: z.number().int(),
    reasoning_output_tokens: z.number().int(),
    cost_usd: z.number().optional(),
  })
  .meta({
    id: 'Usage',
    description: 'Tokens, and their cost in dollars if the agent reports it. Input tokens include cached ones.',
  });

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
  error: outputField(
    z.string().nullable().meta({ description: 'Why the attempt failed. Null without the scope `logs`.' }),
  ),
  usage: usage.nullable().meta({
    description: 'Usage of one attempt; of a job, that of the newest attempt that reported any. Null: not known.',
  }),
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
      'Agent of the newest attempt or, before the first attempt, of the profile. Null for the result of an attempt whose record is unreadable.',
  }),
  model_used: z.string().nullable().meta({
    description:
      'Model of the newest attempt that has ended: as its agent reported it, otherwise as requested. Null while unknown, and if the agent used its default model without reporting it.',
  }),
  timeout_effective_seconds: z.number().nullable().meta({
    description: 'Maximum duration of an attempt in seconds, including the default of the profile. Null: no limit.',
  }),
  copied_from: z.string().nullable().meta({ description: 'Id of the job that this one is a copy of.' }),
  thread_id: z.string().meta({ description: 'Id of the first job of the thread that this job belongs to.' }),
  turn: z.number().int().nullable().meta({
    description: 'Number of this job in its thread, from 1. Null for a draft, and until it is recorded.',
  }),
  continues: z.string().nullable().meta({ description: 'Id of the job that this one was created to continue.' }),
  forked_from: z.string().nullable().meta({ description: 'Id of the job that this one was created to fork.' }),
  automation: z
    .string()
    .nullable()
    .meta({ description: 'Id of the automation that created it. Null: none did. The automation may be deleted.' }),
};

export const rootId = z.string().nullable().meta({
  description:
    'Id of the job that a client created and that this one descends from, through one or more jobs that brought about the next. Null: a client created this job, or a message became it.',
});

/** The template that a job was created from. */
const jobTemplate = z
  .object({
    name: z.string(),
    version: z.number().int(),
    parameters: jobValues.meta({ description: 'The values that the job was created with, with defaults.' }),
  })
  .meta({ id: 'TemplateOfJob' });

/** Position of a queued job. */
const queuePlace = z
  .object({
    ahead: z.number().int().nullable().meta({
      description:
        'Number of jobs ahead of this one: jobs of its project in the same priority band (above 0, 0 or below 0), or jobs that wait for the same folder or profile. Null while the job waits for the vendor, because all jobs that wait for it continue together.',
    }),
    ahead_complete: z.boolean().meta({ description: 'Whether `ahead` is exact. If false, it is a lower bound.' }),
    held_by: z.array(z.string()).meta({
      description:
        'Ids of the jobs that use the folder or the profile slots that this job waits for, or of the turn of its thread that it waits for.',
    }),
  })
  .meta({ id: 'QueuePlace', example: { ahead: 2, ahead_complete: true, held_by: [] } });

/** One attempt of a job. */
export const jobAttempt = z
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

/** What the agent of a running job reported last. */
const jobProgress = z
  .object({
    text: z.string().meta({ example: 'Tests pass; writing the documentation.' }),
    percent: z.number().int().nullable().meta({ description: 'How much is done, 0 to 100. Null if not reported.' }),
    at: timestamp,
  })
  .meta({ id: 'ReportedProgress' });

/** A warning can quote what an agent or command wrote. What the service names before a colon does not. */
function subjectOf(warning: unknown): string {
  return `${/^[\w ,-]+(?=: )/.exec(String(warning))?.[0] ?? 'a warning'}: needs the scope logs`;
}

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
    folder: z.string().nullable().meta({
      description:
        "Where the job works, or will work, on its worker's file system: in a local run, a folder of this machine. Null for a draft.",
    }),
    folder_kept_until: timestamp.nullable().meta({
      description:
        'When the folder is deleted at the earliest: later if another job of the thread uses it meanwhile. Null until the job has ended, and for a folder that is not deleted, because `cwd` names it or the service deletes none.',
    }),
    files_kept_until: timestamp.nullable().meta({
      description:
        'When the job is deleted with its output and the copy of its files, which `GET /jobs/{id}/files` lists. Null until the job has ended, and if the service deletes no jobs.',
    }),
    project_id: z.string(),
    project: z.string(),
    idempotency_key: z.string().nullable(),
    save_draft: z.boolean(),
    draft: z.boolean(),
    created_at: timestamp,
    cancel_requested_at: timestamp.nullable(),
    created_by: z.string(),
    parent_id: z.string().nullable(),
    root_id: rootId,
    follow_up_ids: z.array(z.string()),
    worker_id: z.string().nullable(),
    ...outcomeShape,
    total_usage: usage.nullable().meta({
      description:
        'Usage of all attempts so far, as far as it is known. A running attempt is not included. Null: nothing is known.',
    }),
    version: z.number().int(),
    output_deleted_at: timestamp.nullable().meta({
      description:
        'When an administrator had the output of all attempts up to then deleted. Reads of it answer 404 with `output_deleted`. Null: nothing was deleted.',
    }),
    output_deleted_by: z.string().nullable().meta({ description: 'Who had it deleted.' }),
    output_deleted_attempt: z.number().int().nullable().meta({
      description: 'The newest attempt whose output was deleted. Attempts of a later retry have theirs.',
    }),
    warnings: outputField(
      z.array(z.string()).meta({
        description: 'What else happened. Without the scope `logs`, only the subject of each warning.',
      }),
      (warnings) => (Array.isArray(warnings) ? warnings.map(subjectOf) : warnings),
    ),
    deployments: z.array(jobDeployment).meta({ description: 'Runs of the deploy bindings of the project.' }),
    changes: outputField(changes.nullable()),
    template: jobTemplate.nullable().meta({
      description:
        'The template that the job was created from. Its prompts may have been edited since. Null: it was created without one.',
    }),
    resume_from: z.number().int().nullable().meta({
      description:
        'Number of the interrupted attempt whose session the next attempt continues, or the running one was to continue. Null: attempts start from the prompt.',
    }),
    question: jobQuestion.nullable().meta({
      description: 'The newest question of the agent. `GET /jobs/{id}/questions` has its text. Null if it asked none.',
    }),
    progress: jobProgress.nullable().meta({
      description:
        'What the agent reported last about its progress. Null if it reported nothing, and unless the job is RUNNING.',
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

/** `POST /jobs/{id}/cancel` and `/kill`. */
export const cancelledJob = job
  .extend({
    cancelled_jobs: z.number().int().meta({
      description:
        'How many jobs this request cancelled, or asked to end: this job, and with `tree` its descendants. 0: all had ended, or were asked before.',
    }),
  })
  .meta({ id: 'CancelledJob' });

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

/** `DELETE /jobs/{id}/data`. */
export const jobRemoved = z
  .object({ id: z.string().meta({ description: 'The id of the job, which is unknown from now on.' }) })
  .meta({ id: 'JobRemoved' });

/** `POST /jobs/{id}/delete-output`. */
export const outputDeleted = z
  .object({
    id: z.string(),
    output_deleted_at: timestamp.meta({ description: 'When it was asked for first.' }),
    output_deleted_by: z.string().meta({ description: 'The caller that asked first.' }),
    copies: z.array(z.string()).meta({
      description:
        'Ids of later turns of its thread and of its follow-up jobs, whose sessions or prompts may repeat some of the output.',
    }),
  })
  .meta({ id: 'OutputDeleted' });

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
