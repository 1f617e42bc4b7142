import { acts, type DeployBinding } from '../bindings/deploy-binding.ts';
import type { JobDeployment } from '../jobs/deployments/job-deployment.ts';

/** Why no commands are run where the deployment disables them. */
export const NO_COMMANDS = "This deployment's bindings run no commands.";

/** Why a binding no longer runs the commands of a deployment; undefined: it does. */
export function whyNotRun(
  { commands }: { readonly commands: boolean },
  known: Pick<JobDeployment, 'mode'>,
  binding: DeployBinding | undefined,
): string | undefined {
  if (binding === undefined) return 'The binding was deleted.';
  if (!commands) return NO_COMMANDS;
  return acts(binding) && binding.binding_mode === known.mode ? undefined : 'The binding was changed.';
}
