import * as z from 'zod';
import { isLegible, LEGIBLE } from '../../input/legible.ts';
import { LIMITS } from '../../limits.ts';
import { NAME_NOTE, nameText, normalizedText, pathText } from '../fields/name.ts';
import { timeoutNumber, wholeNumber } from '../fields/number.ts';
import { givenValues } from '../fields/parameter.ts';

/** No agent accepts a prompt that is only whitespace. */
const promptText = z
  .string()
  .min(1, { error: 'expected a non-empty string', abort: true })
  .refine((text) => text.trim() !== '', 'expected more than whitespace');

/** An integer that survives JSON in every client. */
export const safeInteger = z.number().int('expected a whole number').meta({ format: 'int64' });

/** Fields that an update of a queued job can change. */
export const editableShape = {
  prompt: promptText.optional().meta({
    description: 'The prompt. It must contain more than whitespace. Without it, the prompt stays as it is.',
    example: 'Say hello.',
  }),
  base_prompt: promptText.optional().meta({ description: 'Alias of `prompt`. If both are set, they must be equal.' }),
  extra_prompt: z.string().optional().meta({ description: 'Text that is added after the prompt.' }),
  rule_ids: z.array(z.string().min(1).max(LIMITS.nameLength)).max(LIMITS.rulesPerJob).optional().meta({
    description:
      'Ids of rules whose texts are put before the prompt, in this order. Not with a profile of the agent `shell`.',
  }),
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
    description:
      'Maximum duration of an attempt, in the unit that `info.x-timeout-unit` of this document declares. Attempts that continue the session of an interrupted one count together, without the time in between.',
  }),
  retries: wholeNumber(LIMITS.retries)
    .optional()
    .meta({ description: "Number of additional attempts after a failure. Default: the profile's, or 0." }),
  title: normalizedText(LIMITS.titleLength)
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
    prompt: promptText.optional().meta({
      description:
        'The prompt. It must contain more than whitespace. Required unless `base_prompt` or `template` is set.',
      example: 'Say hello.',
    }),
    template: z.string().min(1).max(LIMITS.nameLength).optional().meta({
      description:
        'Name of a template, which gives the prompt and the settings that this request does not set. Not together with `prompt`. Later changes of the template do not change the job.',
    }),
    template_version: z
      .int({ error: 'expected a whole number from 1' })
      .min(1)
      .optional()
      .meta({ description: 'Version of the template. Default: the newest.' }),
    parameters: givenValues.optional().meta({
      description:
        'Values of the parameters of the template, by name. Values are data: braces and markup in them have no meaning.',
    }),
    copied_from: z.string().min(1).max(LIMITS.nameLength).optional().meta({
      description: 'Id of an existing job that this one is a copy of, as with "Run again with changes" in the console.',
    }),
    continue: z.string().min(1).max(LIMITS.nameLength).optional().meta({
      description:
        'Id of a job to continue. This job becomes the next turn of its thread: it works in the same folder, its agent continues the same session, and it starts when the turns before it have ended. It has the project, profile, model, folder and tags of that job, unless the request sets them.',
    }),
    fork: z.string().min(1).max(LIMITS.nameLength).optional().meta({
      description:
        'Id of a job to fork. This job begins a new thread from a copy of that job: of its folder, and of the session of its agent. It has the project, profile, model and tags of that job, unless the request sets them. Turns of the forked thread wait until the copy is made. Not together with `continue`, or with a `cwd` of either job.',
    }),
    continue_after: z.enum(['success', 'any']).optional().meta({
      description:
        'How the turn before it has to end, if it has not ended yet. `success`: if that turn fails or is cancelled, this job waits until the turn is retried or this job is submitted. Only with `continue`. Default: `success`.',
    }),
    fresh_folder: z.boolean().optional().meta({
      description:
        "Works in a new private folder instead of the thread's. The agent is then given the prompts and answers of the thread, since a session belongs to its folder. Only with `continue`.",
    }),
    idempotency_key: z.string().min(1).max(LIMITS.idempotencyKeyLength).optional().meta({
      description:
        'A request with a key that its sender has used before returns the id of the existing job. `replayed` and `differs` of the answer say so. Keys of different senders are different.',
    }),
    save_draft: z.boolean().optional().meta({ description: 'Store the job as a draft. Workers do not start drafts.' }),
    draft: z.boolean().optional().meta({ description: 'Alias of `save_draft`. The job is a draft if either is true.' }),
  })
  // That one of `prompt` and `base_prompt` is required is in their descriptions only: client generators turn a schema with
  // `anyOf` into a union, or refuse it within `allOf`.
  .meta({ id: 'JobCreation' });
export type JobCreation = z.output<typeof jobCreation>;

/** Fields of a `follow-up-job` block in an agent's output. Identity comes from the parent job. */
export const followUpCreation = jobCreation.omit({
  idempotency_key: true,
  template: true,
  template_version: true,
  parameters: true,
  copied_from: true,
  continue: true,
  fork: true,
  continue_after: true,
  fresh_folder: true,
});
export type FollowUpCreation = z.output<typeof followUpCreation>;

/** `PATCH /jobs/{id}`. */
export const jobEdit = z.strictObject(editableShape).meta({ id: 'JobEdit' });
export type JobEditFields = z.output<typeof jobEdit>;

/** `PATCH /jobs/{id}/draft`. */
export const draftEdit = z.strictObject(draftShape).meta({ id: 'DraftEdit' });
export type DraftEditFields = z.output<typeof draftEdit>;

/** What answers to requests with an idempotency key say of it. */
export const replayShape = {
  replayed: z.boolean().meta({
    description: 'Whether its sender has used the idempotency key before. The answer is about what exists since then.',
  }),
  differs: z.array(z.string()).meta({
    description:
      'If it is replayed: the fields in which this request differs from the first one with the key. They have no effect. Later edits are not compared.',
    example: [],
  }),
};

export const jobCreated = z
  .object({
    id: z.string().meta({ example: 'job_4k2q0v9m6s8x1c3b5n7h2j4d6f' }),
    url: z.string().nullable().meta({
      description: "The job's page in the console. Null if the deployment has no public address.",
      example: 'https://queue.example.com/jobs/job_4k2q0v9m6s8x1c3b5n7h2j4d6f',
    }),
    ...replayShape,
  })
  .meta({ id: 'JobCreated' });
