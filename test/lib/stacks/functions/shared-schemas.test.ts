import { expect, test } from 'vitest';
import * as z from 'zod';
import { sharedSchemas, shareSchemas } from '../../../../lib/stacks/functions/shared-schemas.ts';

const IMPORT = "import * as z from 'zod';\n";

test('equal schemas of a single value become one, and others keep what makes them different', () => {
  const source = `${IMPORT}const job = z.object({ a: z.string(), b: z.string().optional(), c: z.string().min(1).optional() });`;
  expect(shareSchemas(source)).toBe(
    `import { $string, $string$optional } from 'shared-schemas';\n${IMPORT}const job = z.object({ a: $string, b: $string$optional, c: $string.min(1).optional() });`,
  );
});

test.each(['z.string<Later>()', "z.string('message')", 'z.object({}).optional()', 'y.string()', 'z.string'])(
  '%s stays as it is',
  (schema) => {
    expect(shareSchemas(`${IMPORT}const one = ${schema};`)).toBe(`${IMPORT}const one = ${schema};`);
  },
);

test('shared schemas are what their names say', () => {
  const module = sharedSchemas().replace(IMPORT, '').replaceAll('export const', 'const');
  const read = new Function(
    'z',
    `${module}\nreturn { $string, $number$int$nullable, $unknown$optional, $string$optional };`,
  );
  const { $string, $number$int$nullable, $string$optional } = read(z) as Record<string, z.ZodType>;
  expect([$string?.safeParse(undefined).success, $string$optional?.safeParse(undefined).success]).toEqual([
    false,
    true,
  ]);
  expect([1, null, 1.5].map((value) => $number$int$nullable?.safeParse(value).success)).toEqual([true, true, false]);
});
