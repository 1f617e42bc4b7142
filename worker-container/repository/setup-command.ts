import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { stripVTControlCharacters } from 'node:util';
import { runPreparing } from '../commands/preparing-process.ts';
import { survivorsText } from '../commands/process-tree.ts';
import { scriptText } from '../commands/script-text.ts';
import type { GitSurroundings } from './git.ts';
import { isSetUp, markSetUp } from './job-worktree.ts';
import type { JobWorktree } from './worktree-record.ts';

/** Where a setup command runs, and where its output is stored. */
interface SetupSurroundings {
  /** The environment of the agent. */
  readonly agentEnv: Readonly<Record<string, string>>;
  readonly setupLog: string;
}

/** Milliseconds that a setup command may take, if the job's own timeout doesn't end it first. */
const SETUP_TIMEOUT_MS = 3_600_000;
/** Most bytes of a setup command's output that are stored of its beginning, and again of its end. */
const KEPT_BYTES = 512 * 1024;
/** Bytes of each stream from which the last line is quoted. */
const TAIL_BYTES = 4_000;

/**
 * Runs the setup command once in each worktree. It counts as run when it has succeeded, even if its output was lost.
 * @returns warnings for the job
 * @throws Error with a plain message; CancelledBeforeStartError.
 */
export async function runSetup(
  { env, mark, ending, account, redaction, onSurvivors, killTimeoutMs }: GitSurroundings,
  { agentEnv, setupLog }: SetupSurroundings,
  worktree: JobWorktree,
  setup: string | undefined,
): Promise<readonly string[]> {
  if (setup === undefined || (await isSetUp(worktree, setup))) return [];
  const log = createWriteStream(setupLog, { mode: 0o600 });
  const warnings: string[] = [];
  let failure: Error | undefined;
  // A write can fail while the command runs. Without a listener, that would end the worker.
  log.on('error', (error) => {
    failure = error;
  });
  const write = (masked: Buffer) => {
    if (failure === undefined) log.write(masked);
  };
  const output = new EndsOf(write);
  const streams = { stdout: redaction.redactor(), stderr: redaction.redactor() };
  const tails = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  const keep = (stream: keyof typeof streams, masked: Buffer) => {
    tails[stream] = Buffer.concat([tails[stream], masked]).subarray(-TAIL_BYTES);
    output.push(masked);
  };
  try {
    const exit = await runPreparing({
      command: 'bash',
      // As in CI: a command that fails ends it, and is not hidden by those after it.
      args: ['-e', '-o', 'pipefail', '-c', scriptText(setup)],
      env: { ...agentEnv, PATH: agentEnv.PATH ?? env.PATH },
      cwd: worktree.path,
      mark,
      account,
      ending,
      redaction,
      onSurvivors,
      killTimeoutMs,
      limit: SETUP_TIMEOUT_MS,
      onStdout: (chunk) => keep('stdout', streams.stdout.push(chunk)),
      onStderr: (chunk) => keep('stderr', streams.stderr.push(chunk)),
    });
    for (const stream of ['stdout', 'stderr'] as const) keep(stream, streams[stream].flush());
    if (exit.exitCode !== 0) {
      const how = exit.signal === null ? `exit code ${exit.exitCode}` : `ended by ${exit.signal}`;
      throw new Error(`the setup command failed: ${how}. ${lastLines(tails)}`.trim());
    }
    if (exit.survivors.length > 0)
      warnings.push(`repository: processes of the setup command: ${survivorsText(exit.survivors)}`);
    await markSetUp(worktree, setup);
  } finally {
    for (const stream of ['stdout', 'stderr'] as const) keep(stream, streams[stream].flush());
    output.end();
    log.end();
    await finished(log).catch(() => undefined);
  }
  if (failure !== undefined)
    warnings.push(`repository: not all output of the setup command was stored: ${failure.message}`);
  return warnings;
}

/** Passes on the beginning of an output and, when it ends, its end, with a mark between them where bytes are left out. */
class EndsOf {
  readonly #write: (bytes: Buffer) => void;
  #begun = 0;
  #leftOut = 0;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(write: (bytes: Buffer) => void) {
    this.#write = write;
  }

  push(bytes: Buffer): void {
    const first = bytes.subarray(0, KEPT_BYTES - this.#begun);
    this.#begun += first.length;
    if (first.length > 0) this.#write(first);
    const rest = bytes.subarray(first.length);
    if (rest.length === 0) return;
    this.#parts.push(rest);
    this.#bytes += rest.length;
    while (this.#bytes - (this.#parts[0]?.length ?? 0) >= KEPT_BYTES) this.#drop(this.#parts.shift()?.length ?? 0);
  }

  end(): void {
    const last = Buffer.concat(this.#parts);
    const kept = last.subarray(-KEPT_BYTES);
    this.#drop(last.length - kept.length);
    if (this.#leftOut > 0) this.#write(Buffer.from(`\n[${this.#leftOut} bytes are left out here]\n`));
    this.#write(kept);
  }

  #drop(bytes: number): void {
    this.#bytes -= bytes;
    this.#leftOut += bytes;
  }
}

/** What each stream ends with: programs report their failures in either. */
function lastLines({ stdout, stderr }: Readonly<Record<'stdout' | 'stderr', Buffer>>): string {
  const [out, error] = [lastLine(stdout.toString()), lastLine(stderr.toString())];
  if (out === '' || error === '') return error + out;
  return `${error} (stdout ends with: ${out})`;
}

/** Without colours. The last state of a progress bar is a line. */
function lastLine(text: string): string {
  const lines = stripVTControlCharacters(text).split(/[\r\n]+/);
  return (lines.findLast((line) => line.trim() !== '') ?? '').trim().slice(0, 200);
}
