import type { JobCreation } from '../../contract/schemas/jobs/job-creation.ts';
import type { Registry } from '../../platform/registry.ts';
import { DEFAULT_PROJECT } from '../../projects/projects.ts';
import { projectOf } from './job-settings.ts';
import { type ReferredItems, readCatalogCheaply } from './read-catalog.ts';

/** What a new job refers to. @throws InvalidFieldError for two different projects */
export function referencesOf(
  { defaultProfile }: { readonly defaultProfile: string },
  creation: JobCreation,
): { profile: string; ruleIds: readonly string[]; project: string } {
  return {
    profile: creation.profile ?? defaultProfile,
    ruleIds: creation.rule_ids ?? [],
    project: projectOf(creation) ?? DEFAULT_PROJECT,
  };
}

/**
 * What `createJob` would read of the catalog for this request; undefined if it may not need it, or needs another job for
 * it.
 */
export async function readAhead(
  context: { readonly defaultProfile: string; readonly registry: Registry },
  request: JobCreation,
): Promise<ReferredItems | undefined> {
  if (request.idempotency_key !== undefined || request.continue !== undefined || request.fork !== undefined)
    return undefined;
  return await readCatalogCheaply(context.registry, referencesOf(context, request));
}
