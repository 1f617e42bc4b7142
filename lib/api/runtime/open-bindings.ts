import { BindingSecretStore } from '../../deployments/bindings/binding-secrets.ts';
import { DeployBindingStore } from '../../deployments/bindings/deploy-binding-store.ts';
import type { WriteBindingContext } from '../../deployments/bindings/write-binding.ts';
import { openDeployments } from '../../deployments/open-deployments.ts';
import type { DeployContext } from '../../deployments/start-deployments.ts';
import { queueClient } from '../../platform/aws/clients.ts';
import { ProjectStore } from '../../projects/projects.ts';
import type { Core } from './core.ts';
import { openOutput, openTransitions } from './services.ts';

/** What changes deploy bindings. */
export function openBindings({ table, env, clock }: Core): WriteBindingContext {
  const registry = { table, registryTable: env.REGISTRY_TABLE };
  return {
    bindings: new DeployBindingStore(registry),
    secrets: new BindingSecretStore(registry),
    projects: new ProjectStore({ ...registry, clock }),
    clock,
    reach: { loopback: env.PROMPTQ_CALLS_TO_LOOPBACK },
    commands: env.PROMPTQ_DEPLOY_COMMANDS,
  };
}

/** What lists deploy bindings. */
export function openBindingList({ table, env, clock }: Core): Pick<WriteBindingContext, 'bindings' | 'projects'> {
  const registry = { table, registryTable: env.REGISTRY_TABLE };
  return { bindings: new DeployBindingStore(registry), projects: new ProjectStore({ ...registry, clock }) };
}

/** What has bindings act on a job again. */
export function openRetry(core: Core): DeployContext {
  const { output } = openOutput(core);
  return {
    ...openTransitions(core),
    ...openDeployments({ ...core, queues: queueClient() }),
    readReceipt: (jobId, attempt) => output.readReceipt(jobId, attempt),
  };
}
