import * as z from 'zod';
import { timestamp } from './fields/text.ts';
import { statusCounts } from './job.ts';

/** Tokens, and money where the agents' CLIs say it. */
export const tokenSums = z
  .object({
    input_tokens: z.number(),
    cached_input_tokens: z.number(),
    output_tokens: z.number(),
    reasoning_output_tokens: z.number(),
    cost_usd: z.number().meta({ description: 'Of those agents whose CLI says it.' }),
  })
  .meta({ id: 'TokenSums', description: 'Of all attempts, failed ones too.' });
export type TokenSums = z.output<typeof tokenSums>;

const spread = z
  .object({
    count: z.number().int(),
    p50: z.number().nullable(),
    p95: z.number().nullable(),
  })
  .meta({
    id: 'Spread',
    description: 'Milliseconds, kept in steps of a factor of √2, so within 19 %. Null where there is nothing.',
  });
export type Spread = z.output<typeof spread>;

const ends = {
  succeeded: z.number().int(),
  failed: z.number().int(),
  cancelled: z.number().int(),
  success_rate: z.number().nullable().meta({ description: 'Succeeded among succeeded and failed, 0 to 1.' }),
  queue_wait_ms: spread.meta({ description: 'From being queued to the start of the last attempt.' }),
  duration_ms: spread.meta({ description: 'Of the last attempt.' }),
};

const day = z.string().meta({ format: 'date', example: '2026-11-20', description: 'UTC.' });

const projectFigures = z.object({
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
      last_30_days: z.object(ends).meta({ description: 'Of the jobs that ended within `by_day`.' }),
      by_day: z
        .array(z.object({ day, ...ends }))
        .meta({ description: 'Thirty days, today last; by the day of the end.' }),
    }),
    projects: z.object({
      items: z.array(projectFigures),
      more: z.boolean().meta({ description: 'Whether there are more than shown: `GET /projects` has all.' }),
    }),
    tokens: z.object({
      last_30_days: tokenSums,
      by_day: z.array(z.object({ day, ...tokenSums.shape })).meta({ description: 'By the day they were reported.' }),
      by_model: z
        .array(z.object({ model: z.string(), ...tokenSums.shape }))
        .meta({ description: 'Since ever. `(default of PROFILE)` where neither job nor profile named a model.' }),
      by_project: z
        .array(z.object({ project_id: z.string(), project: z.string(), ...tokenSums.shape }))
        .meta({ description: 'Since ever, of the projects in `projects.items`.' }),
    }),
  })
  .meta({ id: 'Stats' });
export type StatsView = z.output<typeof stats>;
