import { expect, test } from 'vitest';
import { DRILL_FORMS, planSteps } from '../../../../lib/local/practice-vendor/model/drills.ts';

test('each drill on a separate line is a step, in order', () => {
  const prompt = `Some rules.\r
drill: tool echo "a b" | wc -l\r
text between
  drill: orphan
drill: sleep 1.5
drill: flood 20MB
drill: flood 3 kb
drill: hang
drill: follow-up {"prompt": "x", }
drill: fail 503
drill: usage-limit 90
drill: usage-limit
drill: not-logged-in
drill: calls 2
drill: limit-after 1 90
drill: spend 1000
drill: spend 1000 3
drill: wait 20
drill: recall
drill: json {"a": 1}`;
  expect(planSteps(prompt)).toEqual([
    { drill: 'tool', command: 'echo "a b" | wc -l' },
    { drill: 'orphan' },
    { drill: 'sleep', seconds: 1.5 },
    { drill: 'flood', bytes: 20_000_000 },
    { drill: 'flood', bytes: 3_000 },
    { drill: 'hang' },
    { drill: 'follow-up', payload: '{"prompt": "x", }' },
    { drill: 'fail', status: 503 },
    { drill: 'usage-limit', seconds: 90 },
    { drill: 'usage-limit', seconds: 300 },
    { drill: 'not-logged-in' },
    { drill: 'call', number: 1, of: 2 },
    { drill: 'call', number: 2, of: 2 },
    { drill: 'call', number: 1, of: 1 },
    { drill: 'limit', seconds: 90 },
    { drill: 'spend', tokens: 1_000 },
    { drill: 'spend', tokens: 1_000, calls: 3 },
    { drill: 'wait', seconds: 20 },
    { drill: 'recall' },
    { drill: 'json', text: '{"a": 1}' },
  ]);
});

test.for([
  ...['foo bar', 'tool', 'follow-up', 'fail', 'fail 200', 'sleep soon', 'flood 20', 'flood 20GB', 'hang on', ''],
  ...['calls', 'calls 0', 'calls 1001', 'calls 2 3', 'limit-after', 'limit-after 0', 'limit-after 1 soon', 'json'],
  ...['limit-after 1 2 3', 'spend', 'spend 100001', 'spend 5 0', 'spend 5 1 1', 'wait', 'recall all'],
])('"drill: %s" is not a drill', (line) => {
  expect(planSteps(`drill: ${line}`)).toEqual([{ drill: 'unknown', line }]);
});

test('every documented form is accepted', () => {
  for (const form of DRILL_FORMS) {
    const example = form
      .replace(/ \(.*\)| or .*/, '')
      .replace(/\[|\]/g, '')
      .replace('TOOL JSON', 'report_progress {}')
      .replace(/SECONDS|N\b|TOKENS|CALLS/g, '3')
      .replace('HTTP-STATUS', '500');
    expect(planSteps(example)[0]).not.toMatchObject({ drill: 'unknown' });
  }
});
