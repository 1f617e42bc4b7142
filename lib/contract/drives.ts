/**
 * The ways to run an agent's CLI. `exec`: it gets nothing but its prompt. With the others it takes messages while it
 * runs: `app-server` is codex's protocol, `stream-json` claude's.
 */
export const DRIVES = ['exec', 'app-server', 'stream-json'] as const;
export type DriveName = (typeof DRIVES)[number];

/** What a profile may say about it. `auto`: one that takes messages, if the agent and its arguments allow that. */
export const DRIVE_SETTINGS = ['auto', 'exec'] as const;
export type DriveSetting = (typeof DRIVE_SETTINGS)[number];
