import * as z from 'zod';

/** RFC 3339, UTC, with milliseconds. */
export const timestamp = z.string().meta({ format: 'date-time', example: '2026-11-20T10:41:00.000Z' });

/** A query parameter that is a whole number written in decimal digits. */
export function integerParameter(bounds: { min: number; max: number; default?: number; description: string }) {
  const { min, max, description } = bounds;
  return z
    .string()
    .regex(/^-?\d{1,16}$/, `expected a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `expected a whole number from ${min} to ${max}`)
    .optional()
    .meta({
      description,
      override: {
        type: 'integer',
        minimum: min,
        maximum: max,
        ...(bounds.default === undefined ? {} : { default: bounds.default }),
      },
    });
}

/** A query parameter that is `1` or absent. */
export function switchParameter(description: string) {
  return z
    .literal('1')
    .optional()
    .transform((value) => value === '1')
    .meta({ description, override: { type: 'string', enum: ['1'] } });
}

/** Others have more than four digits in UTC, and are not compared as text. */
const YEARS = { from: Date.parse('0000-01-01T00:00:00.000Z'), to: Date.parse('9999-12-31T23:59:59.999Z') };

const TIME = 'expected a time in RFC 3339, such as 2026-11-20T10:41:00Z';

/** A time whose `+` came as a blank, as in any form that is not encoded. */
const BLANK_OFFSET = /^[^ ]{1,40} \d\d:\d\d$/;

/** A time in RFC 3339, with any offset. @returns it in UTC, with milliseconds */
export function timeParameter(description: string) {
  return z.iso
    .datetime({
      offset: true,
      abort: true,
      error: ({ input }) =>
        BLANK_OFFSET.test(String(input)) ? `${TIME}; in a URL, + means a blank: encode it as %2B` : TIME,
    })
    .refine((time) => !(Date.parse(time) < YEARS.from || Date.parse(time) > YEARS.to), {
      error: 'expected a time within the years 0000 to 9999 in UTC',
    })
    .transform((time) => new Date(time).toISOString())
    .optional()
    .meta({ description, override: { type: 'string', format: 'date-time' } });
}
