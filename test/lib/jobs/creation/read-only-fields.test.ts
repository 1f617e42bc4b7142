import { expect, it } from 'vitest';
import type { JobView } from '../../../../lib/contract/schemas/jobs/job.ts';
import { editableOf } from '../../../../lib/jobs/creation/read-only-fields.ts';

const PRESENT = {
  ...{ id: 'job_1', status: 'QUEUED', prompt: 'old', base_prompt: 'old', priority: 1, tags: ['a'] },
  ...{ queue: { position: 1 }, attempts: [], state_reason: 'waiting_for_worker', deployments: [] },
} as unknown as JobView;

it('a job that is sent back as it was read has its present settings, and nothing else', () => {
  const fields = { prompt: 'old', base_prompt: 'old', priority: 1, tags: ['a'] };
  expect(editableOf({ ...PRESENT }, PRESENT)).toStrictEqual(fields);
});

it('what changes without the job is not compared, nor what is left out', () => {
  const passed = { queue: { position: 2 }, attempts: [{}], state_reason: { code: 'x' }, deployments: [{}] };
  expect(editableOf({ ...passed, id: undefined, priority: 2 }, PRESENT)).toStrictEqual({ priority: 2 });
  expect(editableOf({ priority: undefined }, PRESENT)).toStrictEqual({});
});

it('a member that is no setting is refused if it differs', () => {
  expect(() => editableOf({ id: 'job_2' }, PRESENT)).toThrow(
    'id: can\'t be edited; leave it out, or send it as it is: "job_1"',
  );
  expect(() => editableOf({ unknown: 1 }, PRESENT)).toThrow("unknown: can't be edited");
});

it.each([
  [{ prompt: 'new', base_prompt: 'old' }, { prompt: 'new' }],
  [{ prompt: 'old', base_prompt: 'new' }, { base_prompt: 'new' }],
  [
    { prompt: 'new', base_prompt: 'new' },
    { prompt: 'new', base_prompt: 'new' },
  ],
  [
    { prompt: 'one', base_prompt: 'two' },
    { prompt: 'one', base_prompt: 'two' },
  ],
  [{ prompt: 'new' }, { prompt: 'new' }],
  [{ prompt: 'old' }, { prompt: 'old' }],
  [{ base_prompt: 'new' }, { base_prompt: 'new' }],
])('of the two names of the prompt, the one with a new text is the edit: %o', (sent, fields) => {
  expect(editableOf({ ...sent, priority: 2 }, PRESENT)).toStrictEqual({ ...fields, priority: 2 });
});
