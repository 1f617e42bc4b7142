import { ProfileStore } from '../../catalog/profiles.ts';
import { LIMITS } from '../../contract/limits.ts';
import type { OperatorRegistry } from '../../local/operator/operator-registry.ts';
import { ProjectSettingsStore } from '../../projects/project-settings.ts';
import { ProjectStore } from '../../projects/projects.ts';

/** A required secret. */
export interface NamedSecret {
  readonly name: string;
  /** The profile that requires it; undefined: a project. */
  readonly profile?: string;
}

/** The secrets that profiles and projects require, each once per profile. */
export async function namedSecrets(registry: OperatorRegistry): Promise<NamedSecret[]> {
  const named: NamedSecret[] = [];
  const profiles = new ProfileStore(registry);
  for await (const { profile } of pages((cursor) => profiles.page({ limit: LIMITS.catalogPage.max, cursor }))) {
    const names = new Set(
      Object.values(profile.env).flatMap((value) => (typeof value === 'object' ? value.secret : [])),
    );
    for (const name of names) named.push({ name, profile: profile.name });
  }
  const ofProjects = new Set<string>();
  const projects = new ProjectStore(registry);
  const settings = new ProjectSettingsStore(registry);
  for await (const { id } of pages((cursor) => projects.page({ limit: LIMITS.catalogPage.max, cursor }))) {
    const { secret } = await settings.get(id);
    if (secret !== undefined) ofProjects.add(secret);
  }
  return [...named, ...[...ofProjects].map((name) => ({ name }))];
}

/** For people: what requires a secret. */
export function namedBy(profile: string | undefined): string {
  return profile === undefined ? 'a project' : `profile ${profile}`;
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
