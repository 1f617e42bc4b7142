import type { SANDBOXES } from '../contract/schemas/profile.ts';

export type Sandbox = (typeof SANDBOXES)[number];

/** The sandboxes that Fargate tasks can provide. */
export const CLOUD_SANDBOXES: readonly Sandbox[] = ['none'];

/** Why a sandbox is not available where the workers run; undefined: it is. */
export function sandboxFault(sandbox: Sandbox, available: readonly Sandbox[]): string | undefined {
  if (available.includes(sandbox)) return undefined;
  return (
    `received ${JSON.stringify(sandbox)}; expected ${available.join(' or ')}: the CLIs' sandboxes need user namespaces, ` +
    'which the workers of this deployment do not have; their container is the sandbox'
  );
}
