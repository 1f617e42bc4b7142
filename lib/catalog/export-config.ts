import type { ConfigDocument } from '../contract/schemas/config.ts';
import { PROFILE_KIND, readProfile } from './profiles.ts';
import { type Registry, registryItems } from './registry-page.ts';
import { RULE_KIND, readRule } from './rules.ts';

/**
 * Everything that was imported, as a document that imports as unchanged. A profile that was stored with a variable which is
 * refused now is exported as it is; its import answers 400.
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
