import * as z from 'zod';
import { timestamp } from './fields/text.ts';
import { statusCounts } from './jobs/job-state.ts';

const check = z.object({
  status: z.enum(['ok', 'failed']),
  message: z.string().optional().meta({ description: 'What is wrong, and what to do.' }),
});

/** `GET /health`. */
export const health = z
  .object({
    status: z.enum(['ok', 'degraded']),
    version: z.string().meta({ example: '0.1.0' }),
    time: timestamp,
    status_counts: statusCounts,
    checks: z.object({
      table: check,
      queues: check,
      storage: check,
      workers: check.extend({ live: z.number().int().optional() }),
    }),
  })
  .meta({ id: 'Health' });

export const openApiDocument = z
  .object({ openapi: z.string().meta({ example: '3.0.3' }) })
  .catchall(z.unknown())
  .meta({ id: 'OpenApiDocument' });

/** Body of every error response. */
export const errorBody = z
  .object({
    error: z.string(),
    details: z.object({}).catchall(z.unknown()).optional(),
    request_id: z.string(),
  })
  .meta({ id: 'Error', description: 'An error. `error` is a fixed word or a sentence.' });
