import { randomUUID } from 'node:crypto';
import { chmodSync, type Dirent, mkdirSync, opendirSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { removeTree } from '../service-accounts/untrusted-files.ts';
import { removeTemporary } from '../workspace/temporary-folder.ts';

/** Creates and removes the folder of an attempt. A parameter, so that a simulation needs no disk. */
export interface AttemptFolder {
  /**
   * Creates an empty folder, and removes what an earlier worker left there.
   * @param options.isPassable whether other accounts can reach their own files in it.
   * @returns its path: another one while an attempt of this worker that has lost its job still uses the folder
   */
  make(path: string, options: { readonly isPassable: boolean }): Promise<string>;
  remove(path: string): Promise<void>;
}

/**
 * The folder of an attempt on this machine's disk. Only the worker can list it. Synchronous, since a job has about 30 of
 * these calls: each takes microseconds, and to pass it to another thread takes ten times as long.
 */
export const attemptFolder: AttemptFolder = {
  async make(wanted, { isPassable }) {
    for (const earlier of left) await attemptFolder.remove(earlier).catch(() => undefined);
    const path = inUse.has(wanted) ? `${wanted}-${randomUUID()}` : wanted;
    inUse.add(path);
    try {
      await removeTree(path);
      mkdirSync(path, { recursive: true, mode: 0o700 });
      if (isPassable) for (const folder of [dirname(path), path]) chmodSync(folder, 0o711);
      return path;
    } catch (error) {
      inUse.delete(path);
      throw error;
    }
  },
  async remove(path) {
    // The attempt's own job may have opened it to jobs of other slots, which may still write there.
    left.delete(path);
    try {
      if (!removeShallow(path)) await removeTree(path);
      await removeTemporary(path);
    } catch (error) {
      left.add(path);
      throw error;
    }
    inUse.delete(path);
  },
};

/** Folders that this worker has made and not removed. */
const inUse = new Set<string>();
/** Those that could not be removed. Each further attempt tries again. */
const left = new Set<string>();

/** Most entries of one folder that are removed one by one. */
const FEW = 20;

/**
 * Removes a folder of the worker's with folders of few files, as a short job leaves it, without starting a process. Only
 * the worker can replace what is in the folder itself, and neither unlink nor rmdir follows a link in its last place.
 * @returns whether nothing is left; false: it has more in it
 */
function removeShallow(path: string): boolean {
  try {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const at = join(path, entry.name);
      if (!entry.isDirectory()) {
        unlinkSync(at);
        continue;
      }
      const below = fewIn(at);
      if (below === undefined) return false;
      for (const one of below) (one.isDirectory() ? rmdirSync : unlinkSync)(join(at, one.name));
      rmdirSync(at);
    }
    rmdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** The entries of a folder that a job could fill: reading millions of names would stop all jobs. undefined: not few */
function fewIn(path: string): Dirent[] | undefined {
  const folder = opendirSync(path);
  try {
    const found: Dirent[] = [];
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      if (found.length === FEW) return undefined;
      found.push(entry);
    }
    return found;
  } finally {
    folder.closeSync();
  }
}
