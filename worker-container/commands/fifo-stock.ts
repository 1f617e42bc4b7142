import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSystemTool } from '../processes/system-tool.ts';

/**
 * Both ends of a FIFO that no process has used, as descriptors. It has no name. The end that an agent gets waits, since
 * CLIs expect that of their streams; the worker's end does not.
 */
export interface Fifo {
  readonly reader: number;
  readonly writer: number;
}

/** `output`: an agent writes to it; `input`: an agent reads from it. */
type Direction = 'output' | 'input';

/** Made at once: Node can't make a FIFO, and the process that makes them costs as much as a short job's own. */
const BATCH = 16;

const stocks: Readonly<Record<Direction, Fifo[]>> = { output: [], input: [] };
const making = new Map<Direction, Promise<void>>();

/** A new FIFO, which the caller closes. */
export async function takeFifo(direction: Direction): Promise<Fifo> {
  for (;;) {
    const fifo = stocks[direction].shift();
    if (fifo !== undefined) return fifo;
    const filling = making.get(direction) ?? fill(direction).finally(() => making.delete(direction));
    making.set(direction, filling);
    await filling;
  }
}

async function fill(direction: Direction): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-fifos-'));
  try {
    const paths = Array.from({ length: BATCH }, (_, n) => join(folder, String(n)));
    await runSystemTool('mkfifo', ['-m', '666', ...paths]);
    const made: Fifo[] = [];
    try {
      for (const path of paths) made.push(openBoth(path, direction));
    } catch (error) {
      for (const { reader, writer } of made) for (const end of [reader, writer]) closeSync(end);
      throw error;
    }
    stocks[direction].push(...made);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function openBoth(path: string, direction: Direction): Fifo {
  const opened: number[] = [];
  const open = (flags: number): number => {
    const end = openSync(path, flags);
    opened.push(end);
    return end;
  };
  try {
    // A FIFO's reader must exist first, and must not wait for a writer.
    const reader = open(constants.O_RDONLY | constants.O_NONBLOCK);
    if (direction === 'output') return { reader, writer: open(constants.O_WRONLY) };
    const writer = open(constants.O_WRONLY | constants.O_NONBLOCK);
    // Now there is a writer, so that a reader that waits can be opened without waiting.
    const waiting = open(constants.O_RDONLY);
    closeSync(reader);
    return { reader: waiting, writer };
  } catch (error) {
    for (const end of opened) closeSync(end);
    throw error;
  }
}
