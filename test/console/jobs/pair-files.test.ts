import { expect, test } from 'vitest';
import { parseChanges } from '../../../console/src/jobs/changes/parse-changes.ts';
import { pairFiles } from '../../../console/src/jobs/compare/pair-files.ts';
import { compareAddress, parseSide } from '../../../console/src/jobs/queries/compare-address.ts';

test('the address of a comparison has a job and optionally an attempt', () => {
  expect(parseSide('job_1')).toEqual({ id: 'job_1' });
  expect(parseSide('job_1:12')).toEqual({ id: 'job_1', attempt: 12 });
  for (const text of [null, '', ':1', 'job_1:', 'job_1:0', 'job_1:1.5', 'job_1:-1', '../x', 'job_1:1:2'])
    expect(parseSide(text), String(text)).toBeUndefined();
  expect(compareAddress({ id: 'job_1', attempt: 2 }, { id: 'job_2' })).toBe('/compare?a=job_1:2&b=job_2');
});

const file = (path: string, line: string, blob: string) => `diff --git a/${path} b/${path}
index ${blob}..90c1d2f 100644
--- a/${path}
+++ b/${path}
@@ -1,1 +1,1 @@
-old
+${line}
`;

test('the same change is recognised even if the files differ elsewhere', () => {
  const a = parseChanges(file('x', 'new', '1111111') + file('y', 'one', '1111111'));
  const b = parseChanges(file('x', 'new', '2222222') + file('y', 'two', '1111111') + file('z', 'only', '1111111'));
  expect(pairFiles(a, b).map(({ path, a: one, b: other, isSame }) => [path, !!one, !!other, isSame])).toEqual([
    ['x', true, true, true],
    ['y', true, true, false],
    ['z', false, true, false],
  ]);
});
