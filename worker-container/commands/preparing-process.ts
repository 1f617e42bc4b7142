import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { timeoutText } from '../../lib/platform/config/timeout.ts';
import type { Redaction } from '../secrets/redaction.ts';
import type { Ending } from './ending.ts';
import { CancelledBeforeStartError } from './not-started-error.ts';
import { endTree, type SurvivorRule, spawnTree, survivorsOf, type TreeCommand, type TreeExit } from './process-tree.ts';

export interface PreparingCommand extends Omit<TreeCommand, 'stdin'>, SurvivorRule {
  /** Ends it early. Undefined: only its time limit does. */
  readonly ending: Ending | undefined;
  /** Time limit in milliseconds. */
  readonly limit: number;
  /** Masks secrets in the tail of stderr. */
  readonly redaction: Redaction;
  /** Receives its stdout, unmasked. Without it, only the tail of stderr is kept. */
  readonly onStdout?: (chunk: Buffer) => void;
  readonly onStderr?: (chunk: Buffer) => void;
}

/** The end of a process that the worker itself needed. */
interface PreparingExit extends TreeExit {
  /** The end of its stderr as text, masked. */
  readonly stderrTail: string;
  /** The processes of its tree that could not be ended. */
  readonly survivors: readonly number[];
}

const TAIL_BYTES = 2_000;
/** How long (ms) output may follow a process's end. Processes that hold the pipes after that are killed. */
const LATE_OUTPUT = 2_000;

/**
 * Runs a process before or after the agent. When this returns, no process of its tree is alive that can be ended.
 * @throws CancelledBeforeStartError when the attempt is asked to end; Error when it takes too long or can't be started.
 */
export async function runPreparing({
  ending,
  limit,
  redaction,
  onStdout,
  onStderr,
  onSurvivors,
  killTimeoutMs,
  ...command
}: PreparingCommand): Promise<PreparingExit> {
  if (ending?.reason !== undefined) throw new CancelledBeforeStartError();
  const tree = await spawnTree({ ...command, stdin: '' });
  // Mask before cutting: a tail that begins within a secret would show the rest of it.
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
    const survivors = await survivorsOf(
      endTree({ child: tree, mark: command.mark, politeSignal: 'SIGTERM', kill: true, killTimeoutMs }),
    );
    if (survivors.length > 0) onSurvivors?.();
    if (how === 'asked') throw new CancelledBeforeStartError();
    if (how === 'too long') throw new Error(`it took longer than ${timeoutText(limit / 1000, 'seconds')}`);
    keep(redactor.flush());
    return { ...how, stderrTail: tail.toString(), survivors };
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
