import { expect, it } from 'vitest';
import { fault, ok, warning } from '../../../lib/doctor/finding.ts';
import { jsonReport, textReport } from '../../../lib/doctor/report.ts';

const FINDINGS = [ok('home', '/x'), warning('waiting jobs', 'late', 'Wait.'), fault('disk', 'full', 'Make room.')];

it('people read one line for each finding, its advice below, and how many there are', () => {
  expect(textReport(FINDINGS).split('\n')).toEqual([
    'ok      home          /x',
    'WARNING waiting jobs  late',
    '                      -> Wait.',
    'FAULT   disk          full',
    '                      -> Make room.',
    '',
    '1 ok, 1 warning, 1 fault',
  ]);
  expect(textReport([]).split('\n')).toEqual(['', '0 ok, 0 warnings, 0 faults']);
});

it('programs read the worst state, and all findings', () => {
  expect(JSON.parse(jsonReport(FINDINGS))).toEqual({ state: 'fault', findings: FINDINGS });
  expect(jsonReport([])).toBe('{"state":"ok","findings":[]}');
});
