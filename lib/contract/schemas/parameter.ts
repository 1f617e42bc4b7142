import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { NAME_NOTE, nameText } from './fields/name.ts';
import { timestamp } from './fields/text.ts';
import { projectName } from './jobs/job-creation.ts';

const { valueLength, descriptionLength } = LIMITS.parameters;

/** The environment variable of a parameter begins with it. */
const VARIABLE_PREFIX = 'PROMPTQ_PARAM_';

/** The environment variable in which jobs get a parameter. */
export function parameterVariable(name: string): string {
  return `${VARIABLE_PREFIX}${name.toUpperCase()}`;
}

export const parameterQuery = z.object({
  project: projectName
    .optional()
    .meta({ description: `Id or name of the project. Default: \`local_project\`. ${NAME_NOTE}` }),
});

/** `PUT /parameters/{name}`. */
export const parameterWrite = z
  .strictObject({
    value: z.string().max(valueLength).meta({
      description: 'A text. What looks like a secret is refused, because every reader sees it.',
      example: 'eu-central-1',
    }),
    description: z
      .union([z.literal(''), nameText(descriptionLength)])
      .optional()
      .meta({ description: `What it is for. Absent: unchanged. Empty: none. ${NAME_NOTE}` }),
  })
  .meta({ id: 'ParameterWrite' });
export type ParameterWrite = z.output<typeof parameterWrite>;

/** A parameter as read. */
export const parameter = z
  .object({
    name: z.string(),
    value: z.string(),
    description: z.string().nullable(),
    variable: z.string().meta({ description: 'The environment variable in which jobs get it.' }),
    project_id: z.string(),
    project: z.string(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Parameter' });
export type ParameterView = z.output<typeof parameter>;

/** `GET /parameters`. */
export const parameterList = z.object({ items: z.array(parameter) }).meta({ id: 'ParameterList' });
