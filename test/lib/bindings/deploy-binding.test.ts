import { expect, it } from 'vitest';
import { acts, commandsOf, type DeployBinding, timeoutOf, viewBinding } from '../../../lib/bindings/deploy-binding.ts';
import { presetOf } from '../../../lib/bindings/framework-presets.ts';

const AT = { created_at: '2026-11-20T10:00:00.000Z', updated_at: '2026-11-20T11:00:00.000Z' };
const NAMED = { id: 'app.site', project_id: 'app', project: 'App', name: 'site' };

/** A binding as it is stored, with secrets. */
function aBinding(fields: Partial<DeployBinding> & Pick<DeployBinding, 'binding_mode'>): DeployBinding {
  return { ...NAMED, secrets: [{ ref: 'secret' }], ...AT, version: 1, change_id: 'a', ...fields };
}

const VITE = Object.values(presetOf('vite') ?? {});

it.each<[what: string, binding: DeployBinding, shown: object, acts: boolean]>([
  [
    'a call with an address',
    aBinding({ binding_mode: 'generic', target_url: 'https://example.com/hook', timeout_seconds: 5 }),
    { ready: true, missing: [], target_url: 'https://example.com/hook', timeout_seconds: null, commands: [] },
    true,
  ],
  ['a call without one', aBinding({ binding_mode: 'generic' }), { ready: false, missing: ['target_url'] }, false],
  [
    'a call that was switched off',
    aBinding({ binding_mode: 'generic', target_url: 'https://example.com/', disabled_reason: 'off' }),
    { ready: false, missing: [], disabled_reason: 'off' },
    false,
  ],
  [
    'an editor with a link',
    aBinding({ binding_mode: 'hosted_editor', open_url: 'vscode://file/{cwd}' }),
    { ready: true, missing: [], open_url: 'vscode://file/{cwd}', disabled_reason: null, timeout_seconds: null },
    false,
  ],
  [
    'an editor without one',
    aBinding({ binding_mode: 'hosted_editor' }),
    { ready: false, missing: ['open_url'] },
    false,
  ],
  [
    'a command',
    aBinding({ binding_mode: 'custom', command: 'make', timeout_seconds: 60, install_command: 'no' }),
    { ready: true, missing: [], command: 'make', install_command: 'no', timeout_seconds: 60, commands: ['make'] },
    true,
  ],
  [
    'none',
    aBinding({ binding_mode: 'custom' }),
    { ready: false, missing: ['command'], timeout_seconds: 900, commands: [] },
    false,
  ],
  [
    'a known framework',
    aBinding({ binding_mode: 'web_framework', framework: 'vite' }),
    { ready: true, missing: [], framework: 'vite', timeout_seconds: 900, commands: VITE },
    true,
  ],
  [
    'a known framework with commands of its project',
    aBinding({ binding_mode: 'web_framework', framework: 'vite', install_command: 'i', deploy_command: 'd' }),
    { ready: true, install_command: 'i', deploy_command: 'd', commands: ['i', VITE[1], 'd'] },
    true,
  ],
  [
    'an unknown framework with one command',
    aBinding({ binding_mode: 'web_framework', framework: 'constructor', build_command: 'b' }),
    { ready: false, missing: ['install_command', 'deploy_command'], build_command: 'b', commands: [] },
    false,
  ],
  [
    'an unknown framework',
    aBinding({ binding_mode: 'web_framework', framework: 'unknown', timeout_seconds: 1 }),
    { ready: false, missing: ['install_command', 'build_command', 'deploy_command'], timeout_seconds: 1 },
    false,
  ],
  [
    'no framework and a command',
    aBinding({ binding_mode: 'web_framework', build_command: 'b' }),
    { ready: false, missing: ['framework'], commands: [] },
    false,
  ],
  [
    'no framework and all commands',
    aBinding({ binding_mode: 'web_framework', install_command: 'i', build_command: 'b', deploy_command: 'd' }),
    { ready: true, missing: [], commands: ['i', 'b', 'd'] },
    true,
  ],
])('a binding says whether it acts, with what, and what it lacks: %s', (_what, binding, shown, does) => {
  const view = viewBinding(binding);
  expect(view).toMatchObject(shown);
  expect(view).not.toHaveProperty('secrets');
  expect(acts(binding)).toBe(does);
});

it('a command runs for 15 minutes unless its binding says how long, and only where the mode runs commands', () => {
  expect(timeoutOf(aBinding({ binding_mode: 'custom' }))).toBe(900);
  expect(timeoutOf(aBinding({ binding_mode: 'custom', timeout_seconds: 3_600 }))).toBe(3_600);
  expect(commandsOf(aBinding({ binding_mode: 'generic', command: 'make', build_command: 'b' }))).toEqual([]);
});
