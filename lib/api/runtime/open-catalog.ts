import type { CatalogContext } from '../../catalog/import-config.ts';
import { ProfileStore } from '../../catalog/profiles.ts';
import { RuleStore } from '../../catalog/rules.ts';
import { ProjectStore } from '../../projects/projects.ts';
import type { Core } from './core.ts';

export function openCatalog({ table, env, clock }: Core): CatalogContext {
  return { table, registryTable: env.REGISTRY_TABLE, clock };
}

export function openRules(core: Core): RuleStore {
  return new RuleStore(openCatalog(core));
}

export function openProfiles(core: Core): ProfileStore {
  return new ProfileStore(openCatalog(core));
}

export function openProjects(core: Core): ProjectStore {
  return new ProjectStore(openCatalog(core));
}
