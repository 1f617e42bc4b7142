import { mkdir, rm } from 'node:fs/promises';

/** Makes and removes the folder of an attempt; a parameter, so that a simulation can do without a disk. */
export interface AttemptFolder {
  /** An empty folder, whatever an earlier worker left there. */
  make(path: string): Promise<void>;
  remove(path: string): Promise<void>;
}

/** The folder of an attempt on this machine's disk, private to the worker. */
export const attemptFolder: AttemptFolder = {
  async make(path) {
    await rm(path, { recursive: true, force: true });
    await mkdir(path, { recursive: true, mode: 0o700 });
  },
  async remove(path) {
    await rm(path, { recursive: true, force: true });
  },
};
