import { expect, it } from 'vitest';
import { parseObject } from '../../lib/contract/input/parse-object.ts';
import { auditQuery } from '../../lib/contract/schemas/audit.ts';
import { jobListQuery } from '../../lib/contract/schemas/jobs/job-list.ts';

const parsed = (created_after: string) => parseObject(jobListQuery, 'query', { created_after }).created_after;

it.each([
  ['2026-11-20T10:41:00+02:00', '2026-11-20T08:41:00.000Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
])('the time %s is read in UTC', (given, expected) => {
  expect(parsed(given)).toBe(expected);
});

it.each(['9999-12-31T23:59:59-12:00', '0000-01-01T00:00:00+01:00'])(
  'the time %s, whose year has more than four digits in UTC, is rejected',
  (given) => {
    const refusal = 'expected a time within the years 0000 to 9999 in UTC';
    expect(() => parsed(given)).toThrow(refusal);
    expect(() => parseObject(auditQuery, 'query', { until: given })).toThrow(refusal);
  },
);

it('what is no time is rejected for that alone', () => {
  expect(() => parsed('yesterday')).toThrow(
    /^query\.created_after: received "yesterday" \(string\); [^;]+ RFC 3339[^;]+$/,
  );
});
