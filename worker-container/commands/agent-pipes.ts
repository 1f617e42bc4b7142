import { closeSync, openSync, rmdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Fifo, takeFifos } from './fifo-stock.ts';

/** An agent's standard streams. */
export interface AgentPipes {
  /** What the agent inherits: stdin, stdout, stderr. */
  readonly stdio: readonly [number, number, number];
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Closes the agent's ends in this process. Otherwise the output would never end. */
  handOver(): void;
}

/**
 * Creates an agent's standard streams. Node's own `pipe` is a pair of sockets: `> /dev/stderr` and `cat /dev/stdin`
 * fail on them, they make `bash -c` read ~/.bashrc as if it came over the network, and Node discards their unread
 * output when the process exits. So stdin is a file, and stdout and stderr are FIFOs. Any user may reopen the FIFOs,
 * since the agent may run as another user than the worker. None of the three has a name when this returns.
 */
export async function openAgentPipes(stdin: string): Promise<AgentPipes> {
  const input = await openInput(stdin);
  let fifos: readonly [Fifo, Fifo];
  try {
    fifos = await takeFifos();
  } catch (error) {
    closeSync(input);
    throw error;
  }
  const [out, err] = fifos;
  const stdio = [input, out.writer, err.writer] as const;
  return {
    stdio,
    stdout: new Socket({ fd: out.reader, readable: true, writable: false }),
    stderr: new Socket({ fd: err.reader, readable: true, writable: false }),
    handOver: () => stdio.forEach(closeSync),
  };
}

/** A file without a name that holds this text, open for reading. */
async function openInput(text: string): Promise<number> {
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
