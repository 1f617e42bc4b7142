import { agentFault } from '../../catalog/available-agents.ts';
import type { Profile } from '../../catalog/profiles.ts';
import { AGENT_DEFINITIONS, type AgentName } from '../../contract/agents.ts';
import { composePrompt, promptLength } from '../../contract/compose-prompt.ts';
import { InvalidFieldError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { JobCreation, JobEditFields } from '../../contract/schemas/jobs/job-creation.ts';
import type { Registry } from '../../platform/registry.ts';
import { type Folders, workingFolder } from '../lifecycle/working-folder.ts';
import type { JobTexts } from '../store/job-texts.ts';
import type { ReferredItems } from './read-catalog.ts';

/** Dependencies for validating a job's settings, on creation and on edit. */
export interface SettingsContext {
  readonly registry: Registry;
  readonly folders: Folders;
  /** Those that the workers can run. */
  readonly agents: readonly AgentName[];
}

/** The main prompt, under either of its names; undefined if neither is given. */
export function promptOf({ prompt, base_prompt }: Pick<JobEditFields, 'prompt' | 'base_prompt'>): string | undefined {
  if (prompt !== undefined && base_prompt !== undefined && prompt !== base_prompt) {
    throw InvalidFieldError.of(
      ['prompt', 'base_prompt'],
      'received two different texts; give one of them, or the same text in both',
    );
  }
  return prompt ?? base_prompt;
}

/** The project, by id or name; undefined if neither is given. */
export function projectOf({ project, project_id }: Pick<JobCreation, 'project' | 'project_id'>): string | undefined {
  if (project !== undefined && project_id !== undefined && project !== project_id) {
    throw InvalidFieldError.of(
      ['project', 'project_id'],
      `received ${JSON.stringify(project)} and ${JSON.stringify(project_id)}; they must name one project`,
    );
  }
  return project_id ?? project;
}

/** @throws InvalidFieldError if there is no profile, or no worker has its agent */
export function requireProfile(agents: SettingsContext['agents'], name: string, profile: Profile | undefined): Profile {
  if (profile === undefined)
    throw InvalidFieldError.of('profile', `received ${JSON.stringify(name)}; there is no profile of this name`);
  const missing = agentFault(profile.agent, agents);
  if (missing !== undefined) throw InvalidFieldError.of('profile', `received ${JSON.stringify(name)}; ${missing}`);
  return profile;
}

/** @throws InvalidFieldError for an unknown rule, or if the composed prompt is longer than the profile's agent accepts */
export function checkTexts(
  { rules, unknownRules }: Pick<ReferredItems, 'rules' | 'unknownRules'>,
  texts: Omit<JobTexts, 'project'>,
  profile: Profile,
): void {
  if (unknownRules.length > 0) {
    throw InvalidFieldError.of(
      'rule_ids',
      `received ${unknownRules.map((id) => JSON.stringify(id)).join(', ')}; there is no rule of this id`,
    );
  }
  const max = AGENT_DEFINITIONS[profile.agent].maxPromptLength;
  const length = promptLength(
    composePrompt(
      rules.map(({ text }) => text),
      texts,
    ),
  );
  if (length > max) {
    throw InvalidFieldError.of(
      'prompt',
      `received ${length} characters with rules and extra_prompt; agent ${profile.agent} takes at most ${max}`,
    );
  }
}

/** @throws InvalidFieldError if the folder is outside the allowed roots, or private to another job */
export function checkFolder(
  { folders }: SettingsContext,
  cwd: string | undefined,
  folderOf?: string | undefined,
): void {
  const folder = workingFolder(folders, { id: 'job', project_id: 'project', cwd, folder_of: folderOf });
  if ('rejected' in folder) throw InvalidFieldError.of('cwd', folder.rejected);
}

/** The beginning of a prompt, shown in lists. */
export function previewOf(prompt: string): string {
  return Array.from(prompt.slice(0, 2 * LIMITS.promptPreviewLength))
    .slice(0, LIMITS.promptPreviewLength)
    .join('');
}
