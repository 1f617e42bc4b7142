import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { outcomeShape, STATUSES, stateReason } from './job.ts';
import { integerParameter, switchParameter, timestamp } from './text.ts';

const streamText = z.string().meta({ description: 'UTF-8 text; bytes that are none become U+FFFD.' });

export const resultQuery = z.object({
  full: switchParameter(`Bring all that is kept instead of the last ${LIMITS.resultStreamBytes} bytes of each stream.`),
});

/** `GET /jobs/{id}/result`. */
export const result = z
  .object({
    id: z.string(),
    status: z.enum(STATUSES),
    state_reason: stateReason,
    attempt: z.number().int(),
    started_at: timestamp.nullable(),
    finished_at: timestamp.nullable(),
    duration_ms: z.number().nullable(),
    final_message: z.string().nullable().meta({ description: "The agent's last message." }),
    composed_prompt: z.string().nullable().meta({ description: 'The text that the agent was given.' }),
    attachments: z.array(z.object({}).catchall(z.unknown())),
    follow_up_ids: z.array(z.string()),
    ...outcomeShape,
    stdout: streamText,
    stderr: streamText,
    stdout_truncated: z.boolean(),
    stderr_truncated: z.boolean(),
  })
  .meta({ id: 'JobResult' });

export const logsQuery = z.object({
  stream: z.enum(['stdout', 'stderr', 'all']).optional().meta({ description: 'Which stream. Default `all`.' }),
  full: switchParameter(`Bring all that is kept instead of ${LIMITS.logStreamBytes} bytes of each stream.`),
  attempt: integerParameter({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description: 'An earlier attempt; default: the newest.',
  }),
  offset: integerParameter({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    description: 'Byte of the persisted stream to begin at; needs one `stream`. Go on with `next_offset`.',
  }),
});

/** `GET /jobs/{id}/logs`. */
export const logs = z
  .object({
    id: z.string(),
    status: z.enum(STATUSES),
    attempt: z.number().int(),
    stream: z.enum(['stdout', 'stderr', 'all']),
    stdout: streamText.optional(),
    stderr: streamText.optional(),
    stdout_bytes: z.number().int().optional(),
    stderr_bytes: z.number().int().optional(),
    stdout_truncated: z.boolean().optional(),
    stderr_truncated: z.boolean().optional(),
    next_offset: z
      .number()
      .int()
      .nullable()
      .meta({ description: 'Where the next read of this stream begins; null when `stream` is `all`.' }),
  })
  .meta({ id: 'JobLogs' });
