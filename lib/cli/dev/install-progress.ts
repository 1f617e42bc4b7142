import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Megabytes of a complete installation, and after how many more of them progress is reported. */
const WHOLE_MB = 650;
const STEP_MB = 65;
/** Milliseconds between two measurements. */
const PAUSE_MS = 5_000;

/**
 * Reports how much of an installation is on the disk: npm shows no progress where there is no terminal.
 * @returns when the signal is aborted
 */
export async function reportProgress(
  folder: string,
  report: (text: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  let reported = 0;
  while (!signal.aborted) {
    const size = Math.round((await sizeOf(folder)) / 1_000_000);
    if (size >= reported + STEP_MB && !signal.aborted) {
      reported = size;
      await report(`installed ${size} of about ${WHOLE_MB} MB`);
    }
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Bytes of the files of a folder. npm moves folders meanwhile, so that some are missing. */
async function sizeOf(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    files
      .filter((file) => file.isFile())
      .map(
        async (file) =>
          await stat(join(file.parentPath, file.name)).then(
            ({ size }) => size,
            () => 0,
          ),
      ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
