import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSystemTool } from '../processes/system-tool.ts';

/** Both ends of a FIFO that no process has used, as descriptors. It has no name. */
export interface Fifo {
  readonly reader: number;
  readonly writer: number;
}

/** Made at once: Node can't make a FIFO, and the process that makes them costs as much as a short job's own. */
const BATCH = 16;

const stock: Fifo[] = [];
let making: Promise<void> | undefined;

/** Two new FIFOs, which the caller closes. */
export async function takeFifos(): Promise<readonly [Fifo, Fifo]> {
  for (;;) {
    const [first, second] = stock.splice(0, 2);
    if (first !== undefined && second !== undefined) return [first, second];
    making ??= fill().finally(() => {
      making = undefined;
    });
    await making;
  }
}

async function fill(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-fifos-'));
  try {
    const paths = Array.from({ length: BATCH }, (_, n) => join(folder, String(n)));
    await runSystemTool('mkfifo', ['-m', '666', ...paths]);
    const made: Fifo[] = [];
    try {
      for (const path of paths) made.push(openBoth(path));
    } catch (error) {
      for (const { reader, writer } of made) for (const end of [reader, writer]) closeSync(end);
      throw error;
    }
    stock.push(...made);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function openBoth(path: string): Fifo {
  // A FIFO's reader must exist first, and must not wait for a writer.
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { reader, writer: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(reader);
    throw error;
  }
}
