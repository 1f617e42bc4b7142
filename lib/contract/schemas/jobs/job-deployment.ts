import * as z from 'zod';
import { LIMITS } from '../../limits.ts';
import { outputField } from '../../output-fields.ts';
import { timestamp } from '../fields/text.ts';

export const BINDING_MODES = ['generic', 'custom', 'hosted_editor', 'web_framework'] as const;

/** `delivered` is the success of a call, `succeeded` of all other modes. The last four are final. */
export const DEPLOYMENT_STATES = ['pending', 'running', 'delivered', 'succeeded', 'failed', 'skipped'] as const;
export type DeploymentState = (typeof DEPLOYMENT_STATES)[number];

/** Why commands have not begun, although a worker may be free. */
export const PENDING_REASONS = ['thread_busy', 'folder_busy'] as const;

/** A run of one deploy binding for one attempt of a job. */
export const jobDeployment = z
  .object({
    binding: z.string().meta({ description: 'Id of the deploy binding.' }),
    name: z.string(),
    mode: z.enum(BINDING_MODES),
    attempt: z.number().int().meta({ description: 'The successful attempt of the job that caused the deployment.' }),
    state: z.enum(DEPLOYMENT_STATES),
    attempts: z.number().int().meta({ description: 'How often the deployment was tried.' }),
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
    next_attempt_at: timestamp.optional().meta({ description: 'When the call is retried.' }),
    pending_reason: z.enum(PENDING_REASONS).optional().meta({
      description:
        'Why its commands have not begun. `thread_busy`: a later turn of the thread, or a fork that copies the folder, comes first. `folder_busy`: another job worked in the folder when a worker was about to begin; it is tried again.',
    }),
    last_status: z.number().int().optional().meta({ description: 'HTTP status of the last response to a call.' }),
    open_url: z.string().optional().meta({ description: 'URL that opens the working folder in a hosted editor.' }),
    error: outputField(z.string().optional().meta({ description: 'Why it failed. Absent without the scope `logs`.' })),
    log: outputField(
      z
        .string()
        .optional()
        .meta({
          description: `The last ${LIMITS.deployBindings.logBytes} bytes, at most, of the output of the commands. Absent without the scope \`logs\`.`,
        }),
    ),
    log_truncated: z.boolean().optional(),
  })
  .meta({ id: 'JobDeployment' });
export type JobDeploymentView = z.output<typeof jobDeployment>;
