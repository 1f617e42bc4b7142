import type { ConfigDocument } from '../contract/schemas/config.ts';
import type { Registry } from '../platform/registry.ts';
import { registryItems } from '../platform/registry-page.ts';
import { PROFILE_KIND, readProfile } from './profiles.ts';
import { RULE_KIND, readRule } from './rules.ts';

/**
 * Every imported entry, as a document whose import changes nothing. A stored profile with a variable that is now
 * rejected is exported unchanged; its import answers 400.
 */
export async function exportConfig(registry: Registry): Promise<ConfigDocument> {
  const rules: NonNullable<ConfigDocument['rules']> = [];
  for await (const item of registryItems(registry, RULE_KIND)) {
    const { id, name, text } = readRule(item);
    rules.push({ id, name, text });
  }
  const profiles: NonNullable<ConfigDocument['profiles']> = [];
  for await (const item of registryItems(registry, PROFILE_KIND)) {
    const { profile, source } = readProfile(item);
    if (source === 'imported') profiles.push(profile);
  }
  return { rules, profiles };
}
