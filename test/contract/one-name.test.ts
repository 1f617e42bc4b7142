import { expect, it } from 'vitest';
import { oneName } from '../../lib/contract/schemas/jobs/one-name.ts';

it.each([
  [{ base_prompt: 'a' }, { prompt: 'a' }],
  [
    { prompt: 'a', base_prompt: 'a', title: 't' },
    { prompt: 'a', title: 't' },
  ],
  [{ project_id: 'p' }, { project: 'p' }],
  [{ project: 'p', project_id: 'p' }, { project: 'p' }],
  [{ save_draft: true }, { draft: true }],
  [{ draft: false, save_draft: true }, { draft: true }],
  [{ draft: true, save_draft: false }, { draft: true }],
  [{ save_draft: false }, { draft: false }],
  [
    { prompt: 'a', priority: 1 },
    { prompt: 'a', priority: 1 },
  ],
])('a field has the value that either of its names gives: %o', (fields, named) => {
  expect(oneName(fields)).toStrictEqual(named);
});

it('two names of one field with different values are refused', () => {
  expect(() => oneName({ prompt: 'a', base_prompt: 'b' })).toThrow(
    'prompt and base_prompt: received two different texts; give one of them, or the same text in both',
  );
  expect(() => oneName({ project: 'a', project_id: 'b' })).toThrow(
    'project and project_id: received "a" and "b"; they must name one project',
  );
});
