import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { runSystemTool } from '../processes/system-tool.ts';

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
  const folder = await mkdtemp(join(tmpdir(), 'promptq-pipes-'));
  const opened: number[] = [];
  const open = (name: string, flags: number) => {
    const fd = openSync(join(folder, name), flags);
    opened.push(fd);
    return fd;
  };
  try {
    await writeFile(join(folder, 'stdin'), stdin, { mode: 0o444 });
    await runSystemTool('mkfifo', ['-m', '666', join(folder, 'stdout'), join(folder, 'stderr')]);
    // A FIFO's reader must exist first, and must not wait for a writer.
    const reading = constants.O_RDONLY | constants.O_NONBLOCK;
    const [stdoutReader, stderrReader] = [open('stdout', reading), open('stderr', reading)];
    const stdio = [
      open('stdin', constants.O_RDONLY),
      open('stdout', constants.O_WRONLY),
      open('stderr', constants.O_WRONLY),
    ] as const;
    return {
      stdio,
      stdout: new Socket({ fd: stdoutReader, readable: true, writable: false }),
      stderr: new Socket({ fd: stderrReader, readable: true, writable: false }),
      handOver: () => stdio.forEach(closeSync),
    };
  } catch (error) {
    opened.forEach(closeSync);
    throw error;
  } finally {
    await rm(folder, { recursive: true });
  }
}
