import type { ProfileStore } from '../../catalog/profiles.ts';

/** Stores the local run's profiles; changed ones stay as they are. */
export async function seedProfiles(profiles: ProfileStore): Promise<void> {
  const wanted = [
    { name: 'practice', agent: 'codex', vendor: 'practice' },
    { name: 'shell', agent: 'shell' },
    // On a laptop there is no container around the agent.
    { name: 'codex', agent: 'codex', sandbox: 'workspace-write' },
  ] as const;
  for (const profile of wanted) await profiles.seed(profile);
}
