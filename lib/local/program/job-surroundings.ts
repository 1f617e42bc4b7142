import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { networkIn, userPath } from '../../platform/config/surroundings.ts';

/** Folders that only the system's own packages write to; the last one is NixOS's. */
const SYSTEM_PATH = '/usr/bin:/bin:/run/current-system/sw/bin';

/** What jobs of a start here find, in words: programs that are missing, and the network's variables that they get. */
export async function jobSurroundings(env = process.env): Promise<{ missing: string[]; network: string[] }> {
  return { missing: await missingPrograms(userPath(env)), network: Object.keys(networkIn(env)) };
}

async function missingPrograms(path: string): Promise<string[]> {
  const needed = [
    ['bash', path, 'no script and no command runs'],
    ['git', path, 'no job of a repository runs'],
    ['perl', '/usr/bin', 'no fork is copied, and no session or file of an agent is read'],
    ['mkfifo', SYSTEM_PATH, 'no output of a job is read'],
    ['rm', SYSTEM_PATH, 'no folder of a job is removed'],
    ['find', SYSTEM_PATH, 'folders that a job has made read-only are not removed'],
  ] as const;
  const missing: string[] = [];
  for (const [name, places, effect] of needed)
    if (!(await isIn(places, name))) missing.push(`${name} is not in ${places}: ${effect}`);
  return missing;
}

async function isIn(places: string, name: string): Promise<boolean> {
  for (const folder of places.split(delimiter)) {
    const found = await access(join(folder, name), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return true;
  }
  return false;
}
