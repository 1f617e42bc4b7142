import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redaction } from '../secrets/redaction.ts';
import type { Ending } from './ending.ts';
import { CancelledBeforeStartError } from './not-started-error.ts';
import { endTree, spawnTree, type TreeCommand, type TreeExit } from './process-tree.ts';

export interface PreparingCommand extends Omit<TreeCommand, 'stdin'> {
  /** What ends it early. Undefined: nothing but its time. */
  readonly ending: Ending | undefined;
  /** Milliseconds that it may take. */
  readonly limit: number;
  /** What is masked in the tail of stderr. */
  readonly redaction: Redaction;
  /** Takes what it writes, as it is; without it only the tail of stderr is kept. */
  readonly onStdout?: (chunk: Buffer) => void;
  readonly onStderr?: (chunk: Buffer) => void;
}

/** How a process ended that the worker itself needed. */
export interface PreparingExit extends TreeExit {
  /** The last of what it wrote to stderr, as text, masked. */
  readonly stderrTail: string;
}

const TAIL_BYTES = 2_000;
/** Milliseconds that the output of a process may come after its end: what still holds the pipes then is killed. */
const LATE_OUTPUT = 2_000;

/**
 * Runs a process before or after the agent, in a tree that ends with it: nothing of it lives on when this returns.
 * @throws CancelledBeforeStartError when the attempt is asked to end; Error when it takes too long or can't be started.
 */
export async function runPreparing({
  ending,
  limit,
  redaction,
  onStdout,
  onStderr,
  ...command
}: PreparingCommand): Promise<PreparingExit> {
  if (ending?.reason !== undefined) throw new CancelledBeforeStartError();
  const tree = await spawnTree({ ...command, stdin: '' });
  // Masked before it is cut: a tail that began within a secret would show the rest of it.
  const redactor = redaction.redactor();
  let tail = Buffer.alloc(0);
  const keep = (masked: Buffer) => {
    tail = Buffer.concat([tail, masked]).subarray(-TAIL_BYTES);
  };
  const read = [
    consumed(tree.stdout, onStdout),
    consumed(tree.stderr, (chunk) => {
      keep(redactor.push(chunk));
      onStderr?.(chunk);
    }),
  ];
  const late = new AbortController();
  const over = sleep(limit, 'too long' as const, { signal: late.signal }).catch(() => 'too long' as const);
  const asked = ending?.requested.then(() => 'asked' as const);
  try {
    const how = await Promise.race([tree.exited, over, ...(asked === undefined ? [] : [asked])]);
    if (typeof how !== 'string') await Promise.race([Promise.all(read), sleep(LATE_OUTPUT)]);
    await endTree({ child: tree, mark: command.mark, politeSignal: 'SIGTERM', kill: true });
    if (how === 'asked') throw new CancelledBeforeStartError();
    if (how === 'too long') throw new Error(`it took longer than ${limit / 1000} seconds`);
    keep(redactor.flush());
    return { ...how, stderrTail: tail.toString() };
  } finally {
    late.abort();
    tree.stdout.destroy();
    tree.stderr.destroy();
  }
}

function consumed(pipe: Readable, onData?: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve) => {
    pipe.on('data', (chunk: Buffer) => onData?.(chunk));
    pipe.once('end', resolve);
    pipe.once('error', () => resolve());
  });
}
