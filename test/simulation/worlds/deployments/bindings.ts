import type { DeployBinding } from '../../../../lib/bindings/deploy-binding.ts';
import { PROJECTS } from '../clients/creations.ts';
import type { ModelDeployment } from '../deployment.ts';

/** Every which world has bindings, other ones than those with later jobs: both cost time. */
const BINDINGS_EVERY = 4;

const LONG_AGO = '2020-01-01T00:00:00.000Z';

/** Seconds that one command may run. */
const TIMEOUT = 180;

/** Gives the projects of some worlds bindings that run commands. @returns the ids, by project */
export function addBindings(deployment: ModelDeployment, seed: number): ReadonlyMap<string, readonly string[]> {
  if (seed % BINDINGS_EVERY !== 1) return new Map();
  const { random, registry } = deployment;
  const projects = random.chance(0.5) ? PROJECTS : [random.pick(PROJECTS)];
  return new Map(
    projects.map((project) => {
      const bindings = [oneCommand(project), ...(random.chance(0.3) ? [threeCommands(project)] : [])];
      for (const binding of bindings) registry.put({ kind: 'binding', ...binding }, {});
      return [project, bindings.map(({ id }) => id)];
    }),
  );
}

function oneCommand(project: string): DeployBinding {
  return { ...binding(project, 'publish'), binding_mode: 'custom', command: 'publish' };
}

function threeCommands(project: string): DeployBinding {
  return { ...binding(project, 'site'), binding_mode: 'web_framework', framework: 'astro' };
}

function binding(project: string, name: string): Omit<DeployBinding, 'binding_mode'> {
  return {
    ...{ id: `${project}.${name}`, project_id: project, project, name, timeout_seconds: TIMEOUT, secrets: [] },
    ...{ created_at: LONG_AGO, updated_at: LONG_AGO, version: 1, change_id: 'a' },
  };
}
