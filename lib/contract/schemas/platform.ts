import * as z from 'zod';
import { AGENTS } from '../agents.ts';
import { timestamp } from './fields/text.ts';

const agent = z
  .object({
    name: z.enum(AGENTS),
    installed: z.boolean().meta({ description: 'Whether the workers have it, by the settings of the deployment.' }),
    versions: z.array(z.string()).meta({
      description: 'Versions of the CLI that live workers report. Empty while no worker runs, or if they do not know.',
    }),
    max_prompt_length: z.number().nullable().meta({ description: 'Characters of a composed prompt. Null: no limit.' }),
    capabilities: z.object({
      resume: z.boolean().meta({ description: 'Whether another attempt or turn continues its session.' }),
      steer: z.boolean().meta({ description: 'Whether it takes messages while it runs.' }),
      ask: z.boolean().meta({ description: 'Whether it has tools, such as the one that asks people.' }),
      schema: z.boolean().meta({ description: 'Whether a job can ask for JSON of a schema.' }),
      gateway: z.boolean().meta({ description: 'Whether its requests to models go through the service.' }),
    }),
  })
  .meta({ id: 'PlatformAgent' });

const model = z
  .object({
    name: z.string(),
    price: z
      .object({ input: z.number(), cached_input: z.number(), output: z.number() })
      .nullable()
      .meta({ description: 'US dollars for a million tokens. Null: not known.' }),
  })
  .meta({ id: 'PlatformModel' });

/** `GET /platform`. */
export const platform = z
  .object({
    time: timestamp,
    version: z.string(),
    commit: z.string().nullable().meta({ description: 'Null: not known.' }),
    region: z.string().meta({ description: 'AWS region, or `local` for the local run.' }),
    agents: z.array(agent),
    models: z.array(model).meta({ description: 'Models that profiles name or jobs have used.' }),
    limits: z.object({}).catchall(z.unknown()).meta({
      description: 'All limits that apply to clients, in bytes and seconds unless the name says otherwise.',
    }),
    features: z
      .array(z.object({ name: z.string(), on: z.boolean(), detail: z.string() }).meta({ id: 'PlatformFeature' }))
      .meta({ description: 'What a deployment can turn on and off, and how it is set here.' }),
    stores: z
      .array(
        z
          .object({ name: z.string(), service: z.string(), region: z.string(), holds: z.string() })
          .meta({ id: 'PlatformStore' }),
      )
      .meta({ description: 'Where data is stored.' }),
    missing: z
      .array(z.object({ name: z.string(), reason: z.string() }).meta({ id: 'PlatformGap' }))
      .meta({ description: 'What this version does not have, and why.' }),
  })
  .meta({ id: 'Platform' });
export type PlatformView = z.output<typeof platform>;
