import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';

/** By PATH, of which a worker has few: a PATH may have many folders. */
const known = new Map<string, string>();
const MAX_KNOWN = 100;

/** The first bash in a PATH. @throws Error with a plain message if there is none. */
export async function findBash(path: string): Promise<string> {
  const last = known.get(path);
  if (last !== undefined && (await isExecutable(last))) return last;
  // A relative folder would differ between this process and the job's working folder.
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const bash = join(folder, 'bash');
    if (!(await isExecutable(bash))) continue;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(path, bash);
    return bash;
  }
  throw new Error(`there is no bash in the worker's PATH: ${path === '' ? '(empty)' : path}`);
}

async function isExecutable(file: string): Promise<boolean> {
  return await access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
