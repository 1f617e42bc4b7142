import { ProfileStore } from '../../catalog/profiles.ts';
import { RuleStore } from '../../catalog/rules.ts';
import { ProjectStore } from '../../projects/projects.ts';
import type { Core } from './core.ts';

export function createRules({ registry }: Core): RuleStore {
  return new RuleStore(registry);
}

export function createProfiles({ registry }: Core): ProfileStore {
  return new ProfileStore(registry);
}

export function createProjects({ registry }: Core): ProjectStore {
  return new ProjectStore(registry);
}
