import * as z from 'zod';
import { LIMITS } from '../../limits.ts';

const { nameLength } = LIMITS.parameters;

/** In lower case only: names that differ in case would be one environment variable. */
export const parameterName = z
  .string({ error: 'expected a name' })
  .regex(
    new RegExp(`^[a-z][a-z0-9_]{0,${nameLength - 1}}$`),
    `expected 1 to ${nameLength} of a-z, 0-9 and _, a letter first`,
  )
  .meta({ description: 'The name of the parameter.', example: 'region' });

/** A value of a parameter. */
export const parameterValue = z.union([z.string(), z.number(), z.boolean()], {
  error: 'expected a string, a number, or true or false',
});

/** Values of parameters in a request. Their types are checked with the template. */
export const givenValues = z
  .record(z.string(), z.unknown(), { error: 'expected an object of values by the names of parameters' })
  .meta({
    override: {
      type: 'object',
      additionalProperties: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
    },
  });

/** The values of a job's parameters. */
export const jobValues = z.record(z.string(), parameterValue);
