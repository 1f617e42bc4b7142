import * as z from 'zod';
import { AGENTS } from '../../agents.ts';
import { LIMITS } from '../../limits.ts';
import { STATUSES } from '../../statuses.ts';
import { nameText } from '../fields/name.ts';
import { integerParameter, timeParameter, timestamp } from '../fields/text.ts';
import { namedShape, outcomeShape, rootId } from './job.ts';
import { projectName, safeInteger } from './job-creation.ts';
import { jobState, stateReason, statusCounts } from './job-state.ts';

/** A job in a list. */
export const jobSummary = z
  .object({
    id: z.string(),
    status: jobState,
    state_reason: stateReason,
    project_id: z.string(),
    project: z.string(),
    ...namedShape,
    created_by: z.string().nullable().meta({ description: 'Null for a moment after the job was deleted.' }),
    profile: z.string(),
    model: z.string().nullable(),
    priority: safeInteger,
    cwd: z.string().nullable(),
    prompt_preview: z
      .string()
      .meta({ description: `The first ${LIMITS.promptPreviewLength} characters of the prompt.` }),
    attempt: z.number().int(),
    exit_code: outcomeShape.exit_code,
    signal: outcomeShape.signal,
    parent_id: z.string().nullable(),
    root_id: rootId,
    created_at: timestamp,
    queued_at: timestamp.nullable(),
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
    cancel_requested_at: timestamp.nullable(),
  })
  .meta({ id: 'JobSummary' });

const name = () => z.string().min(1).max(LIMITS.nameLength).optional();

export const jobListQuery = z.object({
  limit: integerParameter({ ...LIMITS.list, description: 'Maximum number of jobs to return.' }),
  offset: integerParameter({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'Number of matching jobs to skip.',
  }),
  status: z.enum(STATUSES).optional().meta({ description: 'Only jobs with this status.' }),
  needs: z.enum(['answer']).optional().meta({
    description:
      '`answer`: only jobs with an open question of their agent: those that are QUEUED for the answer, and RUNNING ones whose agent still waits for a quick one.',
  }),
  search: z
    .string()
    .max(LIMITS.searchLength)
    .optional()
    .meta({
      description: `Only jobs that contain all of these words, in any order and regardless of case and of how letters are composed (Unicode NFKC). The search covers title, tags, project, cwd and the first ${LIMITS.searchTextLength} characters of the prompt texts, and for words of 6 characters or more also the id. Text in double quotes counts as one word.`,
    }),
  cwd: z
    .string()
    .max(LIMITS.cwdLength)
    .optional()
    .meta({ description: 'Only jobs with this working folder, as requested or as resolved.' }),
  project: projectName.optional().meta({ description: 'Only jobs of the project with this id or name.' }),
  profile: name().meta({ description: 'Only jobs with this profile.' }),
  agent: z.enum(AGENTS).optional().meta({ description: 'Only jobs that this agent ran or will run.' }),
  model: name().meta({ description: 'Only jobs that request this model or whose newest attempt used it.' }),
  created_by: name().meta({ description: 'Only jobs with this `created_by`.' }),
  tag: nameText(LIMITS.tags.length).optional().meta({ description: 'Only jobs with this tag.' }),
  template: name().meta({ description: 'Only jobs that were created from the template with this name.' }),
  automation: name().meta({ description: 'Only jobs that the automation with this id or name created.' }),
  thread: name().meta({
    description:
      'Only jobs of the thread with this id, the id of its first job. Drafts have no turn and are left out. Not with `search`.',
  }),
  tree: name().meta({
    description: 'Only the job with this id and its descendants. Not with `search` or `thread`.',
  }),
  created_after: timeParameter('Only jobs created at this time or later.'),
  created_before: timeParameter('Only jobs created before this time.'),
  order: z
    .enum(['newest', 'oldest'])
    .optional()
    .meta({ description: 'Which jobs are listed first. Default: `newest`.' }),
  cursor: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .meta({ description: 'The `next_cursor` of the previous page. Use it with the same filters.' }),
});

export type JobListQuery = z.output<typeof jobListQuery>;

/** `GET /jobs`. */
export const jobList = z
  .object({
    items: z.array(jobSummary).meta({ description: 'Jobs in the requested order.' }),
    total: z
      .number()
      .int()
      .meta({ description: 'Number of jobs that match the filters, or a lower bound if `total_complete` is false.' }),
    total_complete: z.boolean().meta({
      description: `Whether \`total\` is exact: new jobs are counted a moment after they are listed. One request reads up to ${LIMITS.jobsReadPerList} jobs. A search reads whole months, or, from a month on that has more than that, up to ${LIMITS.jobsSearchedPerList} jobs or one page in order. Continue with \`next_cursor\`, even after an empty page.`,
    }),
    offset: z.number().int(),
    limit: z.number().int(),
    status_counts: statusCounts,
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'JobList' });
