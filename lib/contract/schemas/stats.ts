import * as z from 'zod';
import { timestamp } from './fields/text.ts';
import { statusCounts } from './jobs/job-state.ts';

/** Token usage, with cost if the agent CLIs report it. */
export const tokenSums = z
  .object({
    input_tokens: z.number(),
    cached_input_tokens: z.number(),
    output_tokens: z.number(),
    reasoning_output_tokens: z.number(),
    cost_usd: z.number().meta({ description: 'Cost of the agents whose CLI reports it.' }),
  })
  .meta({ id: 'TokenSums', description: 'Token usage of all attempts, including failed ones.' });
export type TokenSums = z.output<typeof tokenSums>;

const spread = z
  .object({
    count: z.number().int(),
    p50: z.number().nullable(),
    p95: z.number().nullable(),
  })
  .meta({
    id: 'Spread',
    description: 'Percentiles in milliseconds, accurate to 19 %. Null if `count` is 0.',
  });
export type Spread = z.output<typeof spread>;

const ends = {
  succeeded: z.number().int(),
  failed: z.number().int(),
  cancelled: z.number().int(),
  success_rate: z
    .number()
    .nullable()
    .meta({ description: 'Share of succeeded jobs among succeeded and failed ones, from 0 to 1.' }),
  queue_wait_ms: spread.meta({ description: 'Time from queueing to the start of the last attempt.' }),
  duration_ms: spread.meta({ description: 'Duration of the last attempt.' }),
};

const day = z.string().meta({ format: 'date', example: '2026-11-20', description: 'Date in UTC.' });

const projectStats = z.object({
  id: z.string(),
  name: z.string(),
  job_counts: statusCounts,
  tokens: tokenSums,
  last_activity_at: timestamp.nullable(),
});

/** `GET /stats`. */
export const stats = z
  .object({
    time: timestamp,
    statuses: statusCounts,
    jobs: z.object({
      total: z.number().int(),
      by_status: statusCounts,
      last_30_days: z.object(ends).meta({ description: 'Statistics of the jobs that ended in the last 30 days.' }),
      by_day: z
        .array(z.object({ day, ...ends }))
        .meta({ description: 'The last 30 days, ending today, by the day on which jobs ended.' }),
    }),
    projects: z.object({
      items: z.array(projectStats),
      more: z
        .boolean()
        .meta({ description: 'Whether there are more projects than `items`. `GET /projects` lists all.' }),
    }),
    tokens: z.object({
      last_30_days: tokenSums,
      by_day: z
        .array(z.object({ day, ...tokenSums.shape }))
        .meta({ description: 'By the day on which usage was reported.' }),
      by_model: z
        .array(z.object({ model: z.string(), ...tokenSums.shape }))
        .meta({ description: 'All time. `(default of PROFILE)` if neither the job nor the profile set a model.' }),
      by_project: z
        .array(z.object({ project_id: z.string(), project: z.string(), ...tokenSums.shape }))
        .meta({ description: 'All time, for the projects in `projects.items`.' }),
    }),
  })
  .meta({ id: 'Stats' });
export type StatsView = z.output<typeof stats>;
