import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The file that holds an object's bytes in the store of a local run. @throws Error if there is no such object */
export async function fileOfObject(home: string, key: string): Promise<string> {
  for (const bucket of await readdir(join(home, 's3'))) {
    const folder = join(home, 's3', bucket);
    for (const name of await readdir(join(folder, 'records'))) {
      const record = JSON.parse(await readFile(join(folder, 'records', name), 'utf8'));
      if (record.key === key) return join(folder, 'data', record.segments[0].file);
    }
  }
  throw new Error(`no object ${key}`);
}
