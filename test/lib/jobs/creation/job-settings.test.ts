import { expect, it } from 'vitest';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { previewOf } from '../../../../lib/jobs/creation/job-settings.ts';

it('the preview of a prompt has its first characters, each whole', () => {
  expect(previewOf('hello')).toBe('hello');
  expect(Array.from(previewOf('😀'.repeat(1_000)))).toEqual(Array.from('😀'.repeat(LIMITS.promptPreviewLength)));
});
