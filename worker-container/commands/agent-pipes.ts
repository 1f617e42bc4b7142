import { closeSync, openSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { Socket } from 'node:net';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { type Fifo, takeFifo } from './fifo-stock.ts';

/** An agent's standard streams. */
export interface AgentPipes {
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
