import { agentFault } from '../../catalog/available-agents.ts';
import type { Profile, ProfileStore } from '../../catalog/profiles.ts';
import type { RuleStore } from '../../catalog/rules.ts';
import { AGENT_DEFINITIONS, type AgentName } from '../../contract/agents.ts';
import { composePrompt, promptLength } from '../../contract/compose-prompt.ts';
import { InvalidFieldError } from '../../contract/errors.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { JobCreation, JobEditFields } from '../../contract/schemas/job.ts';
import { type Folders, workingFolder } from '../lifecycle/working-folder.ts';
import type { JobTexts } from '../store/job-texts.ts';

/** Dependencies for validating a job's settings, on creation and on edit. */
export interface SettingsContext {
  readonly profiles: ProfileStore;
  readonly rules: RuleStore;
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

/** @throws InvalidFieldError if the profile does not exist, or no worker has its agent */
export async function findProfile({ profiles, agents }: SettingsContext, name: string): Promise<Profile> {
  const profile = await profiles.get(name, { consistent: true });
  if (profile === undefined)
    throw InvalidFieldError.of('profile', `received ${JSON.stringify(name)}; there is no profile of this name`);
  const missing = agentFault(profile.agent, agents);
  if (missing !== undefined) throw InvalidFieldError.of('profile', `received ${JSON.stringify(name)}; ${missing}`);
  return profile;
}

/** @throws InvalidFieldError for an unknown rule, or if the composed prompt is longer than the profile's agent accepts */
export async function checkTexts(
  { rules }: SettingsContext,
  texts: Omit<JobTexts, 'project'>,
  profile: Profile,
): Promise<void> {
  const { rules: known, unknown } = await rules.get(texts.rule_ids ?? [], { consistent: true });
  if (unknown.length > 0) {
    throw InvalidFieldError.of(
      'rule_ids',
      `received ${unknown.map((id) => JSON.stringify(id)).join(', ')}; there is no rule of this id`,
    );
  }
  const max = AGENT_DEFINITIONS[profile.agent].maxPromptLength;
  const length = promptLength(
    composePrompt(
      known.map(({ text }) => text),
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
