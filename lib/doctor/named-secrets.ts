import { ProfileStore } from '../catalog/profiles.ts';
import { ProjectSettingsStore } from '../catalog/project-settings.ts';
import { ProjectStore } from '../catalog/projects.ts';
import { LIMITS } from '../contract/limits.ts';
import type { OperatorRegistry } from '../local/operator-registry.ts';

/** The names of the secrets that profiles and projects ask for. */
export async function namedSecrets(registry: OperatorRegistry): Promise<Set<string>> {
  const names = new Set<string>();
  const profiles = new ProfileStore(registry);
  for await (const { profile } of pages((cursor) => profiles.page({ limit: LIMITS.catalogPage.max, cursor }))) {
    for (const value of Object.values(profile.env)) if (typeof value === 'object') names.add(value.secret);
  }
  const projects = new ProjectStore(registry);
  const settings = new ProjectSettingsStore(registry);
  for await (const { id } of pages((cursor) => projects.page({ limit: LIMITS.catalogPage.max, cursor }))) {
    const { secret } = await settings.get(id);
    if (secret !== undefined) names.add(secret);
  }
  return names;
}

async function* pages<T>(
  read: (cursor: string | undefined) => Promise<{ items: readonly T[]; nextCursor: string | null }>,
): AsyncGenerator<T> {
  for (let cursor: string | undefined; ; ) {
    const page = await read(cursor);
    yield* page.items;
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}
