import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { nameText } from './fields/name.ts';
import { integerParameter, timestamp } from './fields/text.ts';
import {
  jobState,
  namedShape,
  outcomeShape,
  projectName,
  STATUSES,
  safeInteger,
  stateReason,
  statusCounts,
} from './job.ts';
import { AGENTS } from './profile.ts';

/** What a list shows of a job. */
export const jobSummary = z
  .object({
    id: z.string(),
    status: jobState,
    state_reason: stateReason,
    project_id: z.string(),
    project: z.string(),
    ...namedShape,
    created_by: z.string().nullable().meta({ description: 'Null for a moment after the job was removed.' }),
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
    created_at: timestamp,
    queued_at: timestamp.nullable(),
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
    cancel_requested_at: timestamp.nullable(),
  })
  .meta({ id: 'JobSummary' });

const name = () => z.string().min(1).max(LIMITS.nameLength).optional();

/** A time in RFC 3339, with any offset. @returns it in UTC, with milliseconds */
const timeParameter = (description: string) =>
  z.iso
    .datetime({ offset: true, error: 'expected a time in RFC 3339, such as 2026-11-20T10:41:00Z' })
    .transform((time) => new Date(time).toISOString())
    .optional()
    .meta({ description, override: { type: 'string', format: 'date-time' } });

export const jobListQuery = z.object({
  limit: integerParameter({ ...LIMITS.list, description: 'How many jobs at the most.' }),
  offset: integerParameter({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    default: 0,
    description: 'How many matching jobs to leave out first.',
  }),
  status: z.enum(STATUSES).optional().meta({ description: 'Only jobs in this state.' }),
  search: z
    .string()
    .max(LIMITS.searchLength)
    .optional()
    .meta({
      description: `Only jobs that contain all of these words, in any case and order, in their title, tags, prompt texts, project or cwd; words of 6 characters or more also in their id. Text in double quotes is one word. Of the prompt texts the first ${LIMITS.searchTextLength} characters are searched.`,
    }),
  cwd: z
    .string()
    .max(LIMITS.cwdLength)
    .optional()
    .meta({ description: 'Only jobs with this working folder, as given or as resolved.' }),
  project: projectName.optional().meta({ description: 'Only jobs of the project with this id or name.' }),
  profile: name().meta({ description: 'Only jobs of this profile.' }),
  agent: z.enum(AGENTS).optional().meta({ description: 'Only jobs that this agent ran, or is to run.' }),
  model: name().meta({ description: 'Only jobs that ask for this model, or whose newest attempt used it.' }),
  created_by: name().meta({ description: 'Only jobs of this creator, as `created_by` shows it.' }),
  tag: nameText(LIMITS.tags.length).optional().meta({ description: 'Only jobs with this tag.' }),
  created_after: timeParameter('Only jobs that were created at this time or later.'),
  created_before: timeParameter('Only jobs that were created before this time.'),
  order: z.enum(['newest', 'oldest']).optional().meta({ description: 'Which jobs come first. Default `newest`.' }),
  cursor: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .meta({ description: '`next_cursor` of the page before, with the same filters.' }),
});

export type JobListQuery = z.output<typeof jobListQuery>;

/** `GET /jobs`. */
export const jobList = z
  .object({
    items: z.array(jobSummary).meta({ description: 'In the order that was asked for.' }),
    total: z
      .number()
      .int()
      .meta({ description: 'How many jobs match the filters; at least so many if not `total_complete`.' }),
    total_complete: z.boolean().meta({
      description: `Whether all jobs were read to count the matches. One request reads ${LIMITS.jobsReadPerList} jobs, a search the months that hold so many; \`next_cursor\` goes on, after a page that may be empty.`,
    }),
    offset: z.number().int(),
    limit: z.number().int(),
    status_counts: statusCounts,
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'JobList' });
