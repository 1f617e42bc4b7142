import { expect, it } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { previewOf, projectOf, promptOf } from '../../../../lib/jobs/creation/job-settings.ts';

it('the prompt is what either of its names gives, or both alike', () => {
  expect([promptOf({ prompt: 'a' }), promptOf({ base_prompt: 'b' }), promptOf({})]).toEqual(['a', 'b', undefined]);
  expect(promptOf({ prompt: 'a', base_prompt: 'a' })).toBe('a');
  expect(() => promptOf({ prompt: 'a', base_prompt: 'b' })).toThrow(
    'prompt and base_prompt: received two different texts; give one of them, or the same text in both',
  );
});

it('the project is what either of its names gives, or both alike', () => {
  expect([projectOf({ project: 'a' }), projectOf({ project_id: 'b' }), projectOf({})]).toEqual(['a', 'b', undefined]);
  expect(projectOf({ project: 'a', project_id: 'a' })).toBe('a');
  expect(() => projectOf({ project: 'a', project_id: 'b' })).toThrow(
    'project and project_id: received "a" and "b"; they must name one project',
  );
});

it('the preview of a prompt has its first characters, each whole', () => {
  expect(previewOf('hello')).toBe('hello');
  expect(Array.from(previewOf('😀'.repeat(1_000)))).toEqual(Array.from('😀'.repeat(LIMITS.promptPreviewLength)));
});
