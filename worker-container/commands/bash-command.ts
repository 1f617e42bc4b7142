import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redaction } from '../secrets/redaction.ts';
import type { ServiceAccount } from '../service-accounts/service-account.ts';
import { findBash } from './find-bash.ts';
import { endTree, spawnTree, survivorsOf, type TreeExit } from './process-tree.ts';
import { scriptText } from './script-text.ts';

export interface BashCommand {
  readonly command: string;
  readonly cwd: string;
  /** The complete environment, except for the mark. */
  readonly env: Readonly<Record<string, string>>;
  /** Unique to the command. Every process of its tree inherits it. */
  readonly mark: string;
  readonly account: ServiceAccount | undefined;
  /** Masks secrets in its output. */
  readonly redaction: Redaction;
  readonly timeoutMs: number;
  /** Milliseconds of SIGKILL until its processes count as surviving. Default: a minute. */
  readonly killTimeoutMs?: number | undefined;
  /** Aborted when the worker must stop. */
  readonly stopping: AbortSignal;
  /** Receives its output, stdout and stderr as they arrive. */
  readonly onData: (chunk: Buffer) => void;
}

export interface CommandEnd {
  readonly ended: 'exited' | 'timed out' | 'stopped';
  /** Both members are null if the command itself survived. */
  readonly exit: TreeExit;
  /** The processes of its tree that could not be ended. */
  readonly survivors: readonly number[];
}

/** Milliseconds from SIGTERM to SIGKILL. */
const GRACE_MS = 2_000;
/** How long (ms) output is read once the tree has ended. A process that was not found may hold the pipes open. */
const LATE_OUTPUT_MS = 2_000;

/**
 * Runs a bash command until it has ended and no process of its tree is alive, except for those that survive SIGKILL.
 * @throws Error if it can't be started
 */
export async function runCommand(run: BashCommand): Promise<CommandEnd> {
  const { command, cwd, env, mark, account, stopping } = run;
  const bash = await findBash(env.PATH ?? '');
  const tree = await spawnTree({
    command: bash,
    args: ['-c', scriptText(command)],
    env,
    cwd,
    stdin: '',
    mark,
    account,
  });
  const written = Promise.all([tree.stdout, tree.stderr].map((stream) => pass(stream, run)));
  const over = Promise.withResolvers<'timed out' | 'stopped'>();
  const timer = setTimeout(() => over.resolve('timed out'), run.timeoutMs);
  const stop = () => over.resolve('stopped');
  stopping.addEventListener('abort', stop, { once: true });
  if (stopping.aborted) stop();
  try {
    const ended = await Promise.race([tree.exited.then(() => 'exited' as const), over.promise]);
    const kill = ended === 'exited';
    const { killTimeoutMs } = run;
    const how = { child: tree, mark, politeSignal: 'SIGTERM', graceMs: GRACE_MS, kill, killTimeoutMs } as const;
    const survivors = await survivorsOf(endTree(how));
    await Promise.race([written, sleep(LATE_OUTPUT_MS, undefined, { ref: false })]);
    for (const pipe of [tree.stdout, tree.stderr]) pipe.destroy();
    await written;
    const exit = survivors.includes(tree.pid) ? { exitCode: null, signal: null } : await tree.exited;
    return { ended, exit, survivors };
  } finally {
    clearTimeout(timer);
    stopping.removeEventListener('abort', stop);
  }
}

async function pass(stream: Readable, { redaction, onData }: BashCommand): Promise<void> {
  const redactor = redaction.redactor();
  try {
    for await (const chunk of stream) onData(redactor.push(chunk as Buffer));
  } catch (error) {
    // The pipe was closed here.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
  onData(redactor.flush());
}
