import { BindingSecretStore } from '../../bindings/binding-secrets.ts';
import { DeployBindingStore } from '../../bindings/deploy-binding-store.ts';
import type { WriteBindingContext } from '../../bindings/write-binding.ts';
import { createDeployments } from '../../composition/create-deployments.ts';
import type { DeployContext } from '../../deployments/start-deployments.ts';
import type { ThreadContext } from '../../jobs/threads/read-thread.ts';
import { queueClient } from '../../platform/aws/clients.ts';
import { ProjectStore } from '../../projects/projects.ts';
import type { Core } from './core.ts';
import { createOutput, createTransitions } from './services.ts';

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

/** The services that list deploy bindings. */
export function createBindingList({ registry }: Core): Pick<WriteBindingContext, 'bindings' | 'projects'> {
  return { bindings: new DeployBindingStore(registry), projects: new ProjectStore(registry) };
}

/** The services that retry a deployment. */
export function createRetry(core: Core): DeployContext & Pick<ThreadContext, 'threads'> {
  const { output } = createOutput(core);
  return {
    ...createTransitions(core),
    ...createDeployments({ ...core, queues: queueClient() }),
    readReceipt: (jobId, attempt) => output.readReceipt(jobId, attempt),
  };
}
