import { expect, it } from 'vitest';
import { type Profile, profileOf } from '../../../../lib/catalog/profiles.ts';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import {
  checkFolder,
  checkTexts,
  previewOf,
  projectOf,
  promptOf,
  requireProfile,
} from '../../../../lib/jobs/creation/job-settings.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';

/** The built-in one. */
const codex = (): Profile => profileOf('codex', undefined) ?? expect.fail('there is no profile');

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

it('a profile has to be there, and its agent on the workers', () => {
  expect(requireProfile(['codex'], 'codex', codex())).toEqual(codex());
  expect(() => requireProfile(['codex'], 'mine', undefined)).toThrow(
    'profile: received "mine"; there is no profile of this name',
  );
  expect(() => requireProfile(['shell'], 'codex', codex())).toThrow(
    'profile: received "codex"; its agent codex is not installed on this deployment\'s workers, which have shell',
  );
});

it('rules have to be there, and the composed prompt is as long as its agent takes at most', () => {
  const rules = { rules: [], unknownRules: [] };
  expect(checkTexts(rules, { prompt: 'x' }, codex())).toBeUndefined();
  expect(() => checkTexts({ ...rules, unknownRules: ['a', 'b'] }, { prompt: 'x' }, codex())).toThrow(
    'rule_ids: received "a", "b"; there is no rule of this id',
  );
  expect(() => checkTexts(rules, { prompt: 'x'.repeat(3_000_000) }, codex())).toThrow(
    /^prompt: received 3000000 characters with rules and extra_prompt; agent codex takes at most \d+$/,
  );
});

it('a folder has to be one that the job may use', () => {
  const deployment = quietDeployment();
  for (const cwd of [undefined, 'work']) expect(checkFolder(deployment, cwd)).toBeUndefined();
  expect(() => checkFolder(deployment, '../..')).toThrow(/^cwd: received "..\/.."; a relative folder must stay within/);
});

it('the preview of a prompt has its first characters, each whole', () => {
  expect(previewOf('hello')).toBe('hello');
  expect(Array.from(previewOf('😀'.repeat(1_000)))).toEqual(Array.from('😀'.repeat(LIMITS.promptPreviewLength)));
});
