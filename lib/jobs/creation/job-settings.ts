import { agentFault } from '../../catalog/available-agents.ts';
import { requireNoValues } from '../../catalog/from-template.ts';
import type { Profile } from '../../catalog/profiles.ts';
import { AGENT_DEFINITIONS, type AgentName } from '../../contract/agents.ts';
import { composePrompt, promptLength } from '../../contract/compose-prompt.ts';
import { InvalidFieldError } from '../../contract/errors.ts';
import { quoted } from '../../contract/input/legible.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { Registry } from '../../platform/registry.ts';
import type { Job } from '../lifecycle/job.ts';
import { type Folders, workingFolder } from '../lifecycle/working-folder.ts';
import type { JobTextStore, JobTexts } from '../store/job-texts.ts';
import { type ReferredItems, readCatalog } from './read-catalog.ts';

/** Dependencies for validating a job's settings, on creation and on edit. */
export interface SettingsContext {
  readonly registry: Registry;
  readonly folders: Folders;
  /** Those that the workers can run. */
  readonly agents: readonly AgentName[];
}

/** @throws InvalidFieldError if there is no profile, or no worker has its agent */
export function requireProfile(agents: SettingsContext['agents'], name: string, profile: Profile | undefined): Profile {
  if (profile === undefined)
    throw InvalidFieldError.of('profile', `received ${JSON.stringify(name)}; there is no profile of this name`);
  const missing = agentFault(profile.agent, agents);
  if (missing !== undefined) throw InvalidFieldError.of('profile', `received ${JSON.stringify(name)}; ${missing}`);
  return profile;
}

/** @throws InvalidFieldError if the texts name rules, and the profile's agent takes none */
function requireTakenRules(profile: Profile, { rule_ids: ruleIds = [] }: Pick<JobTexts, 'rule_ids'>): void {
  if (ruleIds.length === 0 || profile.agent !== 'shell') return;
  const [received, name] = [ruleIds.map(quoted).join(', '), quoted(profile.name)];
  throw InvalidFieldError.of(
    'rule_ids',
    `received ${received}; the profile ${name} has the agent shell, which runs the prompt as a script and takes no rules`,
  );
}

/**
 * The agent `shell` runs its prompt as a script, in which data from outside would be a command.
 * @throws InvalidFieldError if the prompt has such data, and the profile has this agent
 */
export function requireNoData({ agent, name }: Profile, { has_data }: Pick<JobTexts, 'has_data'>): void {
  if (agent !== 'shell' || has_data !== true) return;
  const why = 'its agent shell runs the prompt as a script, and data from outside must not be part of one';
  throw InvalidFieldError.of('profile', `received ${quoted(name)}; ${why}`);
}

/**
 * Checks, before a job is queued again, what may have changed since it was created: the agent of its profile.
 * @throws InvalidFieldError as its creation would
 */
export async function requireFittingSettings(
  context: { readonly registry: Registry; readonly texts: Pick<JobTextStore, 'get'> },
  job: Job,
): Promise<void> {
  const texts = await context.texts.get(job);
  const { rule_ids: rules = [], from, has_data } = texts;
  if (rules.length === 0 && from?.in_prompt !== true && has_data !== true) return;
  const { profile } = await readCatalog(context.registry, { profile: job.profile, ruleIds: [] });
  if (profile === undefined) return;
  requireTakenRules(profile, texts);
  requireNoValues(profile, from);
  requireNoData(profile, texts);
}

/**
 * @throws InvalidFieldError for an unknown rule, for rules or values of a template that the profile's agent does not take,
 * or if the composed prompt is longer than the agent accepts
 */
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
  requireTakenRules(profile, texts);
  requireNoValues(profile, texts.from);
  requireNoData(profile, texts);
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
