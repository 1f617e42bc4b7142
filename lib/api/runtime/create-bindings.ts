import { BindingSecretStore } from '../../bindings/binding-secrets.ts';
import { DeployBindingStore } from '../../bindings/deploy-binding-store.ts';
import type { WriteBindingContext } from '../../bindings/write-binding.ts';
import { ProjectStore } from '../../projects/projects.ts';
import type { Core } from './core.ts';

/** The services that change deploy bindings. */
export function createBindings({ registry, env, clock }: Core): WriteBindingContext {
  return {
    bindings: new DeployBindingStore(registry),
    secrets: new BindingSecretStore(registry),
    projects: new ProjectStore(registry),
    clock,
    reach: { loopback: env.PROMPTQ_CALLS_TO_LOOPBACK },
    commands: env.PROMPTQ_DEPLOY_COMMANDS,
  };
}
