import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';

/** A disk of a few mebibytes that a test can fill. */
export interface SmallDisk {
  readonly folder: string;
  /** Fills the disk except for so many bytes; default: none. */
  fill(left?: number): void;
  /** Frees what `fill` took. */
  makeRoom(): void;
  remove(): void;
}

/** @throws Error where this process may not mount */
export function mountSmallDisk(mebibytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'promptq-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'tmpfs', folder]);
  if (mounted.status !== 0) {
    rmSync(folder, { recursive: true });
    throw new Error(mounted.error?.message ?? mounted.stderr.toString());
  }
  const filler = join(folder, 'filler');
  return {
    folder,
    fill(left = 0) {
      const file = openSync(filler, 'a');
      try {
        for (const bytes of [1024 ** 2, 4096, 1]) fillBy(file, bytes);
        ftruncateSync(file, fstatSync(file).size - left);
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => rmSync(filler, { force: true }),
    remove() {
      spawnSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function fillBy(file: number, bytes: number): void {
  const block = Buffer.alloc(bytes);
  try {
    while (writeSync(file, block) > 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/** Tests that need a separate disk; if nothing can be mounted they are skipped, and a run names them. */
export function describeOnSmallDisk(name: string, tests: () => void): void {
  try {
    mountSmallDisk(1).remove();
  } catch (error) {
    describe(name, () => test.skip(`no disk can be mounted here: ${String(error)}`, () => undefined));
    return;
  }
  describe(name, tests);
}
