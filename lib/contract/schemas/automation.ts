import * as z from 'zod';
import { MISSED, OVERLAPS } from '../automation-choices.ts';
import { knownOrLater } from '../later-code.ts';
import { LIMITS } from '../limits.ts';
import { STATUSES } from '../statuses.ts';
import { eventTrigger, eventTriggerView } from './event-trigger.ts';
import { unknownMember } from './fields/entry.ts';
import { NAME_NOTE, nameText } from './fields/name.ts';
import { wholeNumber } from './fields/number.ts';
import { nextCursor } from './fields/page.ts';
import { integerParameter, switchParameter, timeParameter, timestamp } from './fields/text.ts';
import { hookTrigger, hookView } from './hook.ts';
import { followUpCreation, jobCreation, projectName } from './jobs/job-creation.ts';

const { automations } = LIMITS;

const AUTOMATION_STATES = ['active', 'paused', 'disabled', 'ended'] as const;
const RUN_OUTCOMES = ['fired', 'skipped', 'failed'] as const;
export const RUN_REASONS = {
  still_running: 'An earlier job of the automation had not ended.',
  queue_full: 'A job of the automation was already waiting for an earlier one.',
  disabled: 'The automation was disabled.',
  circle: 'The automation would have started itself: one of its jobs is in the chain that led to the event.',
  too_deep: `The event ends a chain of ${automations.eventDepth} jobs that started each other by events, the most that are allowed.`,
  missed: 'The instant was evaluated too late, and the automation does not make up for it.',
  edited: 'A change of the automation came before the instant was evaluated.',
  paused_failures: 'The automation was paused, because its last jobs had failed.',
  paused_owner: 'The automation was paused, because the token of its owner no longer works.',
  not_created: 'The job could not be created.',
} as const;
export type RunReason = keyof typeof RUN_REASONS;
const RUN_REASON_CODES = Object.keys(RUN_REASONS) as [RunReason, ...RunReason[]];

const scheduleShape = {
  cron: z.string().min(1).max(automations.expressionLength).optional().meta({
    description:
      'Cron expression of five fields: minute, hour, day of the month, month, weekday. Or a nickname: `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. Either `cron` or `every` is required.',
    example: '0 3 * * MON-FRI',
  }),
  every: z.string().min(1).max(automations.expressionLength).optional().meta({
    description: 'Interval in minutes, hours or days, counted from when it was set: `30m`, `6h`, `2d`.',
  }),
  timezone: z.string().min(1).max(automations.expressionLength).optional().meta({
    description: 'IANA time zone in which `cron` is evaluated and times are shown. Default: `UTC`.',
    example: 'Europe/Berlin',
  }),
};

const triggerShape = {
  schedule: z.strictObject(scheduleShape, { error: unknownMember(scheduleShape) }).optional(),
  hook: hookTrigger.optional(),
  event: eventTrigger.optional(),
};

const { prompt, template, template_version, parameters } = jobCreation.shape;

/** What an automation says of its jobs: what `POST /jobs` takes, except what concerns one request. */
export const automationJob = followUpCreation
  .omit({ project: true, project_id: true, save_draft: true, draft: true, base_prompt: true })
  .extend({
    prompt: prompt.meta({
      description: 'The prompt. It must contain more than whitespace. Either `prompt` or `template` is required.',
      example: 'Update the dependencies and run the tests.',
    }),
    template: template.meta({
      description:
        'Name of a template, which gives the prompt and the settings that are not set here. If it is deleted later, runs fail with that reason.',
    }),
    template_version: template_version.meta({
      description: 'Version of the template. Default: the newest when a job is created.',
    }),
    parameters,
  });
export type AutomationJob = z.output<typeof automationJob>;

const shape = {
  project: projectName.optional().meta({
    description: `Id or name of the project of its jobs. Default: that of its template, or \`local_project\`. ${NAME_NOTE}`,
  }),
  trigger: z
    .strictObject(triggerShape, { error: unknownMember(triggerShape) })
    .refine(
      (trigger) => Object.values(trigger).filter((one) => one !== undefined).length === 1,
      'expected exactly one of schedule, hook and event',
    )
    .meta({
      description: 'What starts its jobs: exactly one of `schedule`, `hook` and `event`.',
      example: { schedule: { cron: '0 3 * * MON-FRI', timezone: 'Europe/Berlin' } },
    }),
  job: automationJob
    .refine(({ prompt, template }) => prompt !== undefined || template !== undefined, {
      path: ['prompt'],
      error: 'expected a prompt, or a template',
    })
    .meta({
      description:
        'The job that it creates: the fields of `POST /jobs`. In the prompt, and in values of `parameters`, `{{due_at}}`, `{{last_success_at}}` and `{{timezone}}` are replaced. `last_success_at` is `never` before the first success. The data of a hook, or an event, is added below the prompt as a quotation. Of an event, `{{event.id}}`, `{{event.type}}`, `{{event.time}}`, `{{event.job_id}}` and `{{event.question_id}}` are replaced, too.',
    }),
  overlap: z.enum(OVERLAPS).optional().meta({
    description:
      'What happens if it is due before its last job has ended. `skip`: nothing. `queue`: one job waits until the other has ended. `replace`: the other job is cancelled first. Default: `skip`; of a hook or event `queue`, with which several jobs wait.',
  }),
  missed: z
    .enum(MISSED)
    .optional()
    .meta({
      description: `Instants that the service could not evaluate within ${automations.lateSeconds} s. \`skip\`: none is made up for. \`latest\`: the last one is. \`all\`: up to ${automations.catchUp} are, one after the other. Default: \`latest\`.`,
    }),
  jitter: wholeNumber(automations.jitterSeconds).optional().meta({
    description:
      'Its jobs start up to so many seconds after the due instant. The delay is always the same for one automation, so that many do not start at once. Default: 0.',
  }),
  pause_after_failures: wholeNumber(automations.pauseAfterFailures)
    .optional()
    .meta({
      description: `Pauses it when so many of its jobs in a row have failed. 0: never. Default: ${automations.pauseAfterFailures.default}.`,
    }),
  enabled: z
    .boolean()
    .optional()
    .meta({ description: 'Default: true. Enabling it computes the next instant from now.' }),
  enabled_until: z
    .union([z.literal(''), timeParameter('RFC 3339').unwrap()])
    .optional()
    .meta({
      description: 'It is not due after this time. Empty: no end.',
      override: { type: 'string', format: 'date-time' },
    }),
};

/** `POST /automations`. */
export const automationCreation = z
  .strictObject({
    name: nameText(automations.nameLength).meta({
      description: `Its name, which cannot be changed, and from which its id is derived. ${NAME_NOTE}`,
      example: 'Nightly dependency update',
    }),
    ...shape,
  })
  .meta({ id: 'AutomationCreation' });
export type AutomationCreation = z.output<typeof automationCreation>;

/** `PATCH /automations/{id}`. */
export const automationEdit = z
  .strictObject({ ...shape, trigger: shape.trigger.optional(), job: shape.job.optional() })
  .meta({ id: 'AutomationEdit' });
export type AutomationEdit = z.output<typeof automationEdit>;

export const dryRunQuery = z.object({
  dry_run: switchParameter('Check the request and show its next instants, without storing anything.'),
});

const run = z
  .object({
    due_at: timestamp.meta({
      description: 'The due instant; of a hook, when its delivery came; for a manual run, when it was requested.',
    }),
    last_due_at: timestamp.meta({ description: 'The last instant, if `count` instants were skipped together.' }),
    count: z.number().int().meta({ description: 'How many due instants it stands for.' }),
    trigger: knownOrLater(['schedule', 'hook', 'event', 'manual']),
    event_id: z.string().nullable().meta({ description: 'The event that it is about.' }),
    outcome: knownOrLater(RUN_OUTCOMES).meta({
      description: '`fired`: it created a job. `skipped`, `failed`: it did not, and `reason` says why.',
    }),
    reason: z.object({ code: knownOrLater(RUN_REASON_CODES), message: z.string() }).nullable(),
    evaluated_at: timestamp,
    late_seconds: z
      .number()
      .int()
      .meta({ description: 'How much later than intended it was evaluated, `jitter` not counted.' }),
    job_id: z.string().nullable().meta({ description: 'The job that it created, or because of which it was skipped.' }),
    job_status: knownOrLater(STATUSES)
      .nullable()
      .meta({ description: 'The status of that job. Null if the job no longer exists.' }),
  })
  .meta({ id: 'AutomationRun' });
export type RunView = z.output<typeof run>;

const nextRun = z
  .object({
    due_at: timestamp,
    starts_at: timestamp.meta({ description: 'The due instant with the delay by `jitter`.' }),
    local: z.string().meta({
      description: 'The due instant in the time zone of the schedule, with its offset.',
      example: '2026-11-30T03:00:00+01:00',
    }),
  })
  .meta({ id: 'NextRun' });

/** An automation as read. */
export const automation = z
  .object({
    id: z.string(),
    name: z.string(),
    project: z.string(),
    trigger: z.object({
      schedule: z
        .object({
          cron: z.string().nullable(),
          every: z.string().nullable(),
          timezone: z.string(),
        })
        .nullable(),
      hook: hookView.nullable(),
      event: eventTriggerView.nullable(),
    }),
    job: automationJob,
    overlap: z.enum(OVERLAPS),
    missed: z.enum(MISSED),
    jitter: z.number().int(),
    pause_after_failures: z.number().int(),
    enabled: z.boolean(),
    enabled_until: timestamp.nullable(),
    owner: z.string().meta({ description: 'Who changed it last. Its jobs have this name and these rights.' }),
    state: knownOrLater(AUTOMATION_STATES).meta({
      description:
        '`paused`: it is not due until it is enabled again; `state_reason` says why. `ended`: no instant is left.',
    }),
    state_reason: z.string().nullable().meta({
      description: 'Why it is paused; why one that is due has no job yet.',
    }),
    next_runs: z
      .array(nextRun)
      .meta({ description: `The next instants, at most ${automations.preview}. Empty if it is not active.` }),
    due: z
      .array(
        z.object({
          at: timestamp.meta({ description: 'The first due instant of the hour.' }),
          count: z.number().int().meta({ description: 'How many the hour has.' }),
        }),
      )
      .nullable()
      .meta({
        description:
          'Its due instants by the hour of its zone, for a calendar. Null unless the list is asked for it with `due_from` or `due_to`.',
      }),
    notes: z.array(z.string()).meta({ description: 'What may surprise about the schedule.' }),
    last_run: run.nullable().meta({ description: 'Its newest run that was not skipped.' }),
    failures_in_row: z.number().int(),
    last_success_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
    version: z.number().int(),
  })
  .meta({ id: 'Automation' });
export type AutomationView = z.output<typeof automation>;

export const automationList = z
  .object({ items: z.array(automation), next_cursor: nextCursor })
  .meta({ id: 'AutomationList' });

export const runList = z.object({ items: z.array(run), next_cursor: nextCursor }).meta({ id: 'AutomationRunList' });

const { list } = automations;

export const automationPage = z.object({
  limit: integerParameter({
    min: list.min,
    max: list.max,
    default: list.default,
    description: 'Maximum number of items to return.',
  }),
  cursor: z.string().min(1).max(2_000).optional().meta({ description: 'The `next_cursor` of the previous page.' }),
});

/** `GET /automations`. */
export const automationsQuery = automationPage.extend({
  due_from: timeParameter('Adds to each automation what is due from this time on, in `due`. Default: now.'),
  due_to: timeParameter(
    `Adds to each automation what is due before this time, in \`due\`, at most ${automations.calendar.days} days. Pages then have at most ${automations.calendar.perPage} automations.`,
  ),
});
export type AutomationsQuery = z.output<typeof automationsQuery>;
