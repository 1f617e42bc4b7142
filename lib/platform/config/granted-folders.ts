import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import * as z from 'zod';

/**
 * Folders of a user's machine that the user has opened to the jobs of local runs, by `promptq run` in them (decision
 * 0202). The list is a file, because only that user can write it: no token of the API opens a folder.
 */
const grantsSchema = z.object({
  /** Jobs may work in these folders and below. */
  here: z.array(z.string()).default([]),
  /** Jobs may get a copy of what is committed in these folders. */
  worktree: z.array(z.string()).default([]),
});
type FolderGrants = Readonly<Record<FolderUse, readonly string[]>>;
export type FolderUse = keyof z.output<typeof grantsSchema>;

const NONE: FolderGrants = { here: [], worktree: [] };

/** The file with the folders that a user has opened. */
export function grantsFile({ XDG_STATE_HOME: state = '', HOME: home }: Readonly<Record<string, string | undefined>>) {
  const folder = isAbsolute(state) ? state : join(home || homedir(), '.local', 'state');
  return join(folder, 'promptq', 'folders.json');
}

/** The folders in such a file, as real paths. A file that is missing or damaged opens none. */
export function readGrants(file: string): FolderGrants {
  try {
    return grantsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return NONE;
  }
}

/** Adds a folder to the file. @param folder its real path */
export async function grantFolder(file: string, use: FolderUse, folder: string): Promise<void> {
  const grants = readGrants(file);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}`;
  try {
    const next = { ...grants, [use]: [...new Set([...grants[use], folder])] };
    await writeFile(draft, `${JSON.stringify(next, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}
