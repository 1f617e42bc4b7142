import { chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { removeTree } from '../service-accounts/untrusted-files.ts';

/** Creates and removes the folder of an attempt. A parameter, so that a simulation needs no disk. */
export interface AttemptFolder {
  /**
   * Creates an empty folder, and removes what an earlier worker left there.
   * @param options.isPassable whether other accounts can reach their own files in it.
   */
  make(path: string, options: { readonly isPassable: boolean }): Promise<void>;
  remove(path: string): Promise<void>;
}

/** The folder of an attempt on this machine's disk. Only the worker can list it. */
export const attemptFolder: AttemptFolder = {
  async make(path, { isPassable }) {
    await removeTree(path);
    await mkdir(path, { recursive: true, mode: 0o700 });
    if (isPassable) for (const folder of [dirname(path), path]) await chmod(folder, 0o711);
  },
  async remove(path) {
    // The attempt's own job may have opened it to jobs of other slots, which may still write there.
    await removeTree(path);
  },
};
