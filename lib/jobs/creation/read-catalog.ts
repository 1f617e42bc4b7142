import { type Profile, profileKey, profileOf } from '../../catalog/profiles.ts';
import { type Rule, readRule, ruleKey } from '../../catalog/rules.ts';
import { batchGet } from '../../platform/aws/batch-get.ts';
import type { Registry } from '../../platform/registry.ts';
import { type Project, projectKeys, readProject } from '../../projects/projects.ts';

/** What a job refers to. */
export interface ReferredItems {
  /** undefined: there is none of this name. */
  readonly profile: Profile | undefined;
  /** In the requested order. */
  readonly rules: readonly Rule[];
  /** The requested rules that don't exist. */
  readonly unknownRules: readonly string[];
  /** undefined: it was not requested, or does not exist. */
  readonly project: Project | undefined;
}

/** @param references.project id or name */
interface References {
  readonly profile: string;
  readonly ruleIds: readonly string[];
  readonly project?: string;
}

/** Reads a profile, rules and a project in one request (of up to 100 items), as of the last acknowledged write. */
export async function readCatalog({ table, registryTable }: Registry, references: References): Promise<ReferredItems> {
  const profile = profileKey(references.profile);
  const projects = references.project === undefined ? [] : projectKeys(references.project);
  const keys = [profile, ...[...new Set(references.ruleIds)].map(ruleKey), ...projects];
  const items = new Map<string, Record<string, unknown>>();
  for (const item of await batchGet(table, registryTable, keys, { consistent: true })) items.set(nameOf(item), item);
  const itemOf = (key: { kind: string; id: string }) => items.get(nameOf(key));
  const rules = references.ruleIds.map((id) => itemOf(ruleKey(id)));
  const project = projects.map(itemOf).find((item) => item !== undefined);
  return {
    profile: profileOf(references.profile, itemOf(profile)),
    rules: rules.filter((item) => item !== undefined).map(readRule),
    unknownRules: references.ruleIds.filter((_, at) => rules[at] === undefined),
    project: project && readProject(project),
  };
}

function nameOf({ kind, id }: Record<string, unknown>): string {
  return JSON.stringify([kind, id]);
}
