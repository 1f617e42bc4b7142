import { chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { removeTree } from '../service-accounts/untrusted-files.ts';

/** Makes and removes the folder of an attempt; a parameter, so that a simulation can do without a disk. */
export interface AttemptFolder {
  /**
   * An empty folder, whatever an earlier worker left there.
   * @param options.isPassable whether other accounts reach what is theirs in it.
   */
  make(path: string, options: { readonly isPassable: boolean }): Promise<void>;
  remove(path: string): Promise<void>;
}

/** The folder of an attempt on this machine's disk; nobody but the worker can list it. */
export const attemptFolder: AttemptFolder = {
  async make(path, { isPassable }) {
    await removeTree(path);
    await mkdir(path, { recursive: true, mode: 0o700 });
    if (isPassable) for (const folder of [dirname(path), path]) await chmod(folder, 0o711);
  },
  async remove(path) {
    // Jobs of other slots can be at work in what its own job has opened to them.
    await removeTree(path);
  },
};
