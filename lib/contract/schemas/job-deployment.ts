import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { timestamp } from './fields/text.ts';

export const BINDING_MODES = ['generic', 'custom', 'hosted_editor', 'web_framework'] as const;
export type BindingMode = (typeof BINDING_MODES)[number];

/** `delivered` is the success of a call, `succeeded` that of everything else; the last four are final. */
export const DEPLOYMENT_STATES = ['pending', 'running', 'delivered', 'succeeded', 'failed', 'skipped'] as const;
export type DeploymentState = (typeof DEPLOYMENT_STATES)[number];

/** What one deploy binding did with one attempt of a job. */
export const jobDeployment = z
  .object({
    binding: z.string().meta({ description: 'Id of the deploy binding.' }),
    name: z.string(),
    mode: z.enum(BINDING_MODES),
    attempt: z.number().int().meta({ description: 'The attempt of the job whose success it followed.' }),
    state: z.enum(DEPLOYMENT_STATES),
    attempts: z.number().int().meta({ description: 'How often it was tried.' }),
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
    next_attempt_at: timestamp.optional().meta({ description: 'When a call is tried again.' }),
    last_status: z
      .number()
      .int()
      .optional()
      .meta({ description: 'The HTTP status that a call was answered with last.' }),
    open_url: z.string().optional().meta({ description: 'Opens the working folder in a hosted editor.' }),
    error: z.string().optional(),
    log: z
      .string()
      .optional()
      .meta({ description: `The end, at most ${LIMITS.deployBindings.logBytes} bytes, of what its commands wrote.` }),
    log_truncated: z.boolean().optional(),
  })
  .meta({ id: 'JobDeployment' });
export type JobDeploymentView = z.output<typeof jobDeployment>;
