import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { jobState, projectName, STATUSES, safeInteger, stateReason, statusCounts } from './job.ts';
import { integerParameter, timestamp } from './text.ts';

/** What a list shows of a job. */
export const jobSummary = z
  .object({
    id: z.string(),
    status: jobState,
    state_reason: stateReason,
    project_id: z.string(),
    project: z.string(),
    profile: z.string(),
    model: z.string().nullable(),
    priority: safeInteger,
    cwd: z.string().nullable(),
    prompt_preview: z
      .string()
      .meta({ description: `The first ${LIMITS.promptPreviewLength} characters of the prompt.` }),
    attempt: z.number().int(),
    parent_id: z.string().nullable(),
    created_at: timestamp,
    queued_at: timestamp.nullable(),
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
    cancel_requested_at: timestamp.nullable(),
  })
  .meta({ id: 'JobSummary' });

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
      description: `Only jobs whose id, project, cwd or prompt texts contain this, whatever the case; of the prompt texts the first ${LIMITS.searchTextLength} characters are looked at.`,
    }),
  cwd: z
    .string()
    .max(LIMITS.cwdLength)
    .optional()
    .meta({ description: 'Only jobs with this working folder, as given or as resolved.' }),
  project: projectName.optional().meta({ description: 'Only jobs of the project with this id or name.' }),
  cursor: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .meta({ description: '`next_cursor` of the page before, with the same filters.' }),
});

/** `GET /jobs`. */
export const jobList = z
  .object({
    items: z.array(jobSummary).meta({ description: 'Newest first.' }),
    total: z.number().int().meta({ description: 'How many jobs match the filters.' }),
    offset: z.number().int(),
    limit: z.number().int(),
    status_counts: statusCounts,
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'JobList' });
