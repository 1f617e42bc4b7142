import * as z from 'zod';
import { AGENTS } from '../agents.ts';
import { timestamp } from './fields/text.ts';
import { statusCounts } from './jobs/job-state.ts';
import { source } from './profile.ts';
import { tokenSums } from './stats.ts';

const space = z.object({ total_bytes: z.number(), free_bytes: z.number() });

const host = z
  .object({
    worker_id: z.string(),
    host: z.string(),
    version: z.string(),
    started_at: timestamp,
    seen_at: timestamp,
    slots: z.number().int().meta({ description: 'Maximum number of jobs that the worker runs at a time.' }),
    running_job_ids: z.array(z.string()),
    cpu: z
      .object({
        count: z.number().int(),
        load_1m: z.number().meta({ description: 'Load average of the host over the last minute.' }),
        architecture: z.string(),
      })
      .nullable(),
    memory: space.nullable(),
    storage: space.nullable().meta({ description: 'Disk of the work folder.' }),
    node_version: z.string().nullable(),
    platform: z.string().nullable(),
  })
  .meta({ id: 'Host' });

/** `GET /environment`. */
export const environment = z
  .object({
    time: timestamp,
    hosts: z.array(host).meta({ description: 'Workers that reported in the last 45 seconds.' }),
    service: z.object({
      region: z.string().meta({ description: 'AWS region, or `local` for the local run.' }),
      version: z.string(),
      node_version: z.string(),
      timeout_unit: z.string(),
      default_profile: z.string(),
      scope_enforcement: z.boolean(),
      max_body_bytes: z.number().int(),
      limits: z.object({}).catchall(z.unknown()).meta({
        description: 'All limits that apply to clients. Names in camelCase are deprecated; use the snake_case names.',
      }),
    }),
    profiles: z.array(
      z.object({
        name: z.string(),
        agent: z.enum(AGENTS),
        model: z.string().nullable(),
        is_default: z.boolean(),
        source,
      }),
    ),
    models: z.array(z.string()).meta({ description: 'Models that profiles name or jobs have used.' }),
    projects: z.object({
      items: z.array(z.object({ id: z.string(), name: z.string(), job_counts: statusCounts })),
      more: z
        .boolean()
        .meta({ description: 'Whether there are more projects than `items`. `GET /projects` lists all.' }),
    }),
    jobs: statusCounts,
    token_usage: z.object({ today: tokenSums, last_30_days: tokenSums }),
  })
  .meta({ id: 'Environment' });
export type EnvironmentView = z.output<typeof environment>;
