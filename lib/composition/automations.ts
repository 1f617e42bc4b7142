import { AutomationStore } from '../automations/automation-store.ts';
import { registryOf } from '../platform/registry.ts';
import { createReconciler } from './services.ts';

/** Dependencies for starting jobs of automations. */
export function createStarting(from: Parameters<typeof createReconciler>[0]) {
  return { ...createReconciler(from), automations: new AutomationStore(registryOf(from)) };
}
