import type { CatalogContext } from '../../catalog/import-config.ts';
import { ProfileStore } from '../../catalog/profiles.ts';
import { RuleStore } from '../../catalog/rules.ts';
import { ProjectStore } from '../../projects/projects.ts';
import type { Core } from './core.ts';

export function createCatalog({ table, env, clock }: Core): CatalogContext {
  return { table, registryTable: env.REGISTRY_TABLE, clock };
}

export function createRules(core: Core): RuleStore {
  return new RuleStore(createCatalog(core));
}

export function createProfiles(core: Core): ProfileStore {
  return new ProfileStore(createCatalog(core));
}

export function createProjects(core: Core): ProjectStore {
  return new ProjectStore(createCatalog(core));
}
