import { Logger } from '@aws-lambda-powertools/logger';
import { expect, it, vi } from 'vitest';
import { NewerSchemaError, warnNewerSchema } from '../../../../lib/jobs/lifecycle/newer-schema.ts';

it('what a newer version made is noted once', () => {
  const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const facts = { schema: 9, known: 2 };
  const [first, second] = ['job noted first', 'job noted second'];
  for (const what of [first, second, first]) warnNewerSchema(what, facts);
  expect(warn.mock.calls.map(([, noted]) => noted)).toEqual([
    { what: first, ...facts },
    { what: second, ...facts },
  ]);
  warn.mockRestore();
});

it('an error names what a newer version wrote', () => {
  expect(new NewerSchemaError('job 1').message).toBe('job 1 was written by a newer version of the service');
});
