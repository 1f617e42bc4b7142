import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { timestamp } from './fields/text.ts';
import { projectName } from './jobs/job-creation.ts';

const { nameLength, textBytes } = LIMITS.diagrams;

/** Lower case only: agents get it as the name of a file, and some file systems ignore case. */
export const diagramName = z
  .string()
  .regex(
    new RegExp(`^[a-z0-9][a-z0-9_-]{0,${nameLength - 1}}$`),
    `expected 1 to ${nameLength} lower-case letters, digits, underscores and hyphens, a letter or digit first`,
  );

export const diagramQuery = z.object({
  project: projectName.optional().meta({ description: 'Id or name of the project. Default: `local_project`.' }),
});

export const diagramParams = z.object({
  name: diagramName.meta({ description: 'The name of the diagram.', example: 'order-flow' }),
});

/** `PUT /diagrams/{name}`. */
export const diagramWrite = z
  .strictObject({
    text: z
      .string()
      .refine((text) => new TextEncoder().encode(text).length <= textBytes, {
        error: `expected at most ${textBytes} bytes`,
        abort: true,
      })
      .refine((text) => text.trim() !== '', 'expected more than whitespace')
      .meta({
        description: `Mermaid text, at most ${textBytes} bytes. Its syntax is not checked.`,
        example: 'flowchart LR\n  Order --> Invoice',
      }),
    source_job: z.string().min(1).max(LIMITS.nameLength).optional().meta({
      description: 'Id of the job that made the diagram. Default: unchanged, or none.',
    }),
  })
  .meta({ id: 'DiagramWrite' });

const summaryShape = {
  project_id: z.string(),
  project: z.string(),
  name: z.string(),
  bytes: z.number().int().meta({ description: 'Length of the text in UTF-8.' }),
  source_job: z.string().nullable().meta({ description: 'Id of the job that made it.' }),
  created_at: timestamp,
  updated_at: timestamp,
};

/** A diagram as read. */
export const diagram = z.object({ ...summaryShape, text: z.string() }).meta({ id: 'Diagram' });

/** `GET /diagrams`. */
export const diagramList = z
  .object({ items: z.array(z.object(summaryShape).meta({ id: 'DiagramSummary' })) })
  .meta({ id: 'DiagramList' });
