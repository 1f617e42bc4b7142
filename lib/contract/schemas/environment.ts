import * as z from 'zod';
import { timestamp } from './fields/text.ts';
import { statusCounts } from './job.ts';
import { AGENTS, source } from './profile.ts';
import { tokenSums } from './stats.ts';

const space = z.object({ total_bytes: z.number(), free_bytes: z.number() });

const host = z
  .object({
    worker_id: z.string(),
    host: z.string(),
    version: z.string(),
    started_at: timestamp,
    seen_at: timestamp,
    slots: z.number().int().meta({ description: 'Jobs that it runs at once.' }),
    running_job_ids: z.array(z.string()),
    cpu: z
      .object({
        count: z.number().int(),
        load_1m: z.number().meta({ description: 'Load average of the last minute, of the whole host.' }),
        architecture: z.string(),
      })
      .nullable(),
    memory: space.nullable(),
    storage: space.nullable().meta({ description: 'The disk of its work folder.' }),
    node_version: z.string().nullable(),
    platform: z.string().nullable(),
  })
  .meta({ id: 'Host' });

/** `GET /environment`. */
export const environment = z
  .object({
    time: timestamp,
    hosts: z.array(host).meta({ description: 'Workers that were heard of in the last 45 seconds.' }),
    service: z.object({
      region: z.string().meta({ description: 'Of AWS; `local` on one machine.' }),
      version: z.string(),
      node_version: z.string(),
      timeout_unit: z.string(),
      default_profile: z.string(),
      scope_enforcement: z.boolean(),
      max_body_bytes: z.number().int(),
      limits: z.object({}).catchall(z.unknown()).meta({
        description:
          'Every limit that a client can meet. Names in camelCase are deprecated: each is there in snake_case too.',
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
    models: z.array(z.string()).meta({ description: 'Named by profiles, or used by jobs already.' }),
    projects: z.object({
      items: z.array(z.object({ id: z.string(), name: z.string(), job_counts: statusCounts })),
      more: z.boolean().meta({ description: 'Whether there are more than shown: `GET /projects` has all.' }),
    }),
    jobs: statusCounts,
    token_usage: z.object({ today: tokenSums, last_30_days: tokenSums }),
  })
  .meta({ id: 'Environment' });
export type EnvironmentView = z.output<typeof environment>;
