import type { Principal } from '../../access/principal.ts';
import type { Owner } from '../../automations/automation.ts';
import { AutomationStore } from '../../automations/automation-store.ts';
import { createFolders, createJobStore } from '../../composition/services.ts';
import { EventFeed } from '../../events/event-feed.ts';
import { FeedReaders } from '../../events/feed-readers.ts';
import { SlotStore } from '../../jobs/admission/slots.ts';
import type { Core } from './core.ts';
import { createCreation } from './services.ts';

/** The services that read automations with their health. */
export function createAutomationReading(core: Core) {
  return { automations: new AutomationStore(core.registry), jobs: createJobStore(core), clock: core.clock };
}

function createReaders(registry: Core['registry']): FeedReaders {
  return new FeedReaders({ ...registry, feed: new EventFeed(registry) });
}

/** The services that delete automations. */
export function createAutomationDeleting(core: Core) {
  return { ...createAutomationReading(core), readers: createReaders(core.registry) };
}

/** The services that create automations. */
export function createAutomationWriting({ registry, env, clock }: Core) {
  const { PROMPTQ_AGENTS: agents, PROMPTQ_DEFAULT_PROFILE: defaultProfile } = env;
  const automations = new AutomationStore(registry);
  const readers = createReaders(registry);
  return { automations, readers, clock, registry, folders: createFolders({ env }), agents, defaultProfile };
}

/** The services that change automations. */
export function createAutomationEditing(core: Core) {
  return { ...createAutomationWriting(core), ...createAutomationReading(core) };
}

/** The services that run an automation now, or take a delivery to it. */
export function createAutomationRunning(core: Core) {
  return {
    ...createCreation(core),
    automations: new AutomationStore(core.registry),
    slots: new SlotStore(core.registry),
  };
}

/** The owner of what a caller writes. */
export function ownerOf(principal: Principal): Owner {
  const { name } = principal;
  if (principal.kind !== 'token') return { name };
  const { id, expiresAt } = principal;
  return { name, token_id: id, ...(expiresAt !== undefined && { expires_at: expiresAt }) };
}
