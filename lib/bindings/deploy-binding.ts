import * as z from 'zod';
import { LIMITS } from '../contract/limits.ts';
import type { BindingView } from '../contract/schemas/deploy-binding.ts';
import { BINDING_MODES } from '../contract/schemas/jobs/job-deployment.ts';
import { presetOf } from './framework-presets.ts';

/** A stored deploy binding: what to do when a job of a project succeeds. */
export const bindingSchema = z.object({
  /** `project id.name`, with the name made safe for a path: `deploy-binding-store.ts` creates it. */
  id: z.string(),
  project_id: z.string(),
  project: z.string(),
  name: z.string(),
  binding_mode: z.enum(BINDING_MODES),
  target_url: z.string().optional(),
  command: z.string().optional(),
  open_url: z.string().optional(),
  framework: z.string().optional(),
  install_command: z.string().optional(),
  build_command: z.string().optional(),
  deploy_command: z.string().optional(),
  timeout_seconds: z.number().optional(),
  /** References to its secrets, newest first; `until`: when a former one no longer signs. */
  secrets: z.array(z.object({ ref: z.string(), until: z.string().optional() })).default([]),
  /** Why it was disabled. */
  disabled_reason: z.string().optional(),
  created_at: z.string(),
  updated_at: z.string(),
  /** Counts the writes; each is conditional on it. */
  version: z.number(),
  /** Names the last write, so that its writer recognises it after an unknown answer. */
  change_id: z.string(),
});
export type DeployBinding = z.output<typeof bindingSchema>;

/** The commands that a binding runs, in order; empty unless its mode runs commands and all of them are known. */
export function commandsOf(binding: DeployBinding): string[] {
  return stepsOf(binding).flatMap(({ command }) => command ?? []);
}

/** Seconds that one command may run. */
export function timeoutOf(binding: DeployBinding): number {
  return binding.timeout_seconds ?? LIMITS.deployBindings.timeoutSeconds.default;
}

/** The missing fields without which a binding is inactive. */
function missingOf(binding: DeployBinding): string[] {
  switch (binding.binding_mode) {
    case 'generic':
      return binding.target_url === undefined ? ['target_url'] : [];
    case 'hosted_editor':
      return binding.open_url === undefined ? ['open_url'] : [];
    case 'custom':
    case 'web_framework': {
      const steps = stepsOf(binding).filter(({ command }) => command === undefined);
      // If the framework would supply all of them, only the framework is missing.
      if (steps.length > 0 && binding.binding_mode === 'web_framework' && binding.framework === undefined)
        return ['framework'];
      return steps.map(({ field }) => field);
    }
  }
}

/** Whether a binding is complete and enabled. */
export function isReady(binding: DeployBinding): boolean {
  return binding.disabled_reason === undefined && missingOf(binding).length === 0;
}

/** Whether a binding acts when a job succeeds. A hosted editor is only shown. */
export function acts(binding: DeployBinding): boolean {
  return isReady(binding) && binding.binding_mode !== 'hosted_editor';
}

/** A binding as clients see it, without secrets. */
export function viewBinding(binding: DeployBinding): BindingView {
  const missing = missingOf(binding);
  return {
    id: binding.id,
    project_id: binding.project_id,
    project: binding.project,
    name: binding.name,
    binding_mode: binding.binding_mode,
    ready: isReady(binding),
    missing,
    disabled_reason: binding.disabled_reason ?? null,
    target_url: binding.target_url ?? null,
    command: binding.command ?? null,
    open_url: binding.open_url ?? null,
    framework: binding.framework ?? null,
    install_command: binding.install_command ?? null,
    build_command: binding.build_command ?? null,
    deploy_command: binding.deploy_command ?? null,
    timeout_seconds: stepsOf(binding).length > 0 ? timeoutOf(binding) : null,
    commands: missing.length === 0 ? commandsOf(binding) : [],
    created_at: binding.created_at,
    updated_at: binding.updated_at,
  };
}

function stepsOf(binding: DeployBinding): { field: string; command: string | undefined }[] {
  if (binding.binding_mode === 'custom') return [{ field: 'command', command: binding.command }];
  if (binding.binding_mode !== 'web_framework') return [];
  const preset = presetOf(binding.framework);
  return [
    { field: 'install_command', command: binding.install_command ?? preset?.install },
    { field: 'build_command', command: binding.build_command ?? preset?.build },
    { field: 'deploy_command', command: binding.deploy_command ?? preset?.deploy },
  ];
}
