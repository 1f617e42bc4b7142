import { closeSync, constants, openSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { runSystemTool } from '../processes/process-scan.ts';

/** An agent's standard streams. */
interface AgentPipes {
  /** What the agent inherits: stdin, stdout, stderr. */
  readonly stdio: readonly [number, number, number];
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The worker's end of stdin; undefined: stdin is a file. */
  readonly input: Writable | undefined;
  /** Closes the agent's ends in this process. Otherwise the output would never end. */
  handOver(): void;
}

/**
 * Creates an agent's standard streams. Node's own `pipe` is a pair of sockets: `> /dev/stderr` and `cat /dev/stdin`
 * fail on them, they make `bash -c` read ~/.bashrc as if it came over the network, and Node discards their unread
 * output when the process exits. So stdin is a file or a FIFO, and stdout and stderr are FIFOs. Any user may reopen the
 * FIFOs, since the agent may run as another user than the worker. None of the three has a name when this returns.
 * @param stdin its text; undefined: it stays open, and the worker writes to it while the agent runs
 */
export async function openAgentPipes(stdin: string | undefined): Promise<AgentPipes> {
  const fifos: Fifo[] = [];
  const take = async (direction: Parameters<typeof takeFifo>[0]) => {
    const fifo = await takeFifo(direction);
    fifos.push(fifo);
    return fifo;
  };
  try {
    const [out, err] = [await take('output'), await take('output')];
    const open = stdin === undefined ? await take('input') : undefined;
    return agentPipes(open?.reader ?? (await openInput(stdin ?? '')), out, err, open?.writer);
  } catch (error) {
    for (const { reader, writer } of fifos) for (const end of [reader, writer]) closeSync(end);
    throw error;
  }
}

function agentPipes(input: number, out: Fifo, err: Fifo, talk: number | undefined): AgentPipes {
  const stdio = [input, out.writer, err.writer] as const;
  return {
    stdio,
    input: talk === undefined ? undefined : new Socket({ fd: talk, readable: false, writable: true }),
    stdout: new Socket({ fd: out.reader, readable: true, writable: false }),
    stderr: new Socket({ fd: err.reader, readable: true, writable: false }),
    handOver: () => stdio.forEach(closeSync),
  };
}

/** A file without a name that holds this text, open for reading. */
async function openInput(text: string): Promise<number> {
  if (text === '') return openSync(devNull, 'r');
  const folder = await mkdtemp(join(tmpdir(), 'promptq-pipes-'));
  const file = join(folder, 'stdin');
  try {
    writeFileSync(file, text, { mode: 0o444 });
    const descriptor = openSync(file, 'r');
    unlinkSync(file);
    return descriptor;
  } finally {
    rmdirSync(folder);
  }
}

/**
 * Both ends of a FIFO that no process has used, as descriptors. It has no name. The end that an agent gets waits, since
 * CLIs expect that of their streams; the worker's end does not.
 */
interface Fifo {
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
async function takeFifo(direction: Direction): Promise<Fifo> {
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
