import { expect, it } from 'vitest';
import type { DeployBinding } from '../../../lib/bindings/deploy-binding.ts';
import { whyNotRun } from '../../../lib/deployments/skipped-commands.ts';

const BINDING: DeployBinding = {
  id: 'app.site',
  project_id: 'app',
  project: 'app',
  name: 'site',
  binding_mode: 'custom',
  command: 'make deploy',
  secrets: [],
  created_at: '2026-11-20T10:00:00.000Z',
  updated_at: '2026-11-20T10:00:00.000Z',
  version: 1,
  change_id: 'a',
};
const CHANGED = 'The binding was changed.';
const NO_COMMANDS = "This deployment's bindings run no commands.";

it.each<[what: string, now: Partial<DeployBinding> | undefined, why: string | undefined, commands?: boolean]>([
  ['is as it was', {}, undefined],
  ['has another command', { command: 'make other' }, undefined],
  ['was deleted', undefined, 'The binding was deleted.'],
  ['was deleted where none are run', undefined, 'The binding was deleted.', false],
  ['is as it was where none are run', {}, NO_COMMANDS, false],
  ['was switched off', { disabled_reason: 'off' }, CHANGED],
  ['lacks its command', { command: undefined }, CHANGED],
  ['has another mode that runs commands', { binding_mode: 'web_framework', framework: 'vite' }, CHANGED],
])('commands are run only while their binding still says so: it %s', (_what, now, why, commands = true) => {
  const binding = now === undefined ? undefined : { ...BINDING, ...now };
  expect(whyNotRun({ commands }, { mode: 'custom' }, binding)).toBe(why);
});
