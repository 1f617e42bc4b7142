import type { EditProjectContext } from '../../projects/edit-project.ts';
import { ProjectSettingsStore } from '../../projects/project-settings.ts';
import { ProjectStore } from '../../projects/projects.ts';
import type { Core } from './core.ts';

/** The services that change a project's settings. */
export function createProjectSettings({ registry, env }: Core): EditProjectContext {
  return {
    projects: new ProjectStore(registry),
    settings: new ProjectSettingsStore(registry),
    workspaces: env.PROMPTQ_WORKSPACES,
    rules: { loopback: env.PROMPTQ_REPOSITORY_LOOPBACK },
  };
}
