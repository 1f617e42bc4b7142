import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

/** The first bash in a PATH. @throws Error with a plain message if there is none. */
export async function findBash(path: string): Promise<string> {
  // A relative folder would differ between this process and the job's working folder.
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const bash = join(folder, 'bash');
    try {
      await access(bash, constants.X_OK);
      return bash;
    } catch {}
  }
  throw new Error(`there is no bash in the worker's PATH: ${path === '' ? '(empty)' : path}`);
}
