import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { runPreparing } from '../commands/preparing-process.ts';
import { survivorsText } from '../commands/process-tree.ts';
import type { GitSurroundings } from './git.ts';
import { isSetUp, markSetUp } from './job-worktree.ts';
import type { JobWorktree } from './worktree-record.ts';

/** Where a setup command runs, and where its output is stored. */
export interface SetupSurroundings {
  /** The environment of the agent. */
  readonly agentEnv: Readonly<Record<string, string>>;
  readonly setupLog: string;
}

/** Milliseconds that a setup command may take, if the job's own timeout doesn't end it first. */
const SETUP_TIMEOUT_MS = 3_600_000;
/** Most bytes of a setup command's output that are stored. */
const MAX_SETUP_OUTPUT_BYTES = 1024 * 1024;

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
  const [stdout, stderr] = [redaction.redactor(), redaction.redactor()];
  let bytes = 0;
  const keep = (masked: Buffer) => {
    if (bytes < MAX_SETUP_OUTPUT_BYTES && failure === undefined) log.write(masked);
    bytes += masked.length;
  };
  try {
    const exit = await runPreparing({
      command: 'bash',
      args: ['-c', setup],
      env: { ...agentEnv, PATH: agentEnv.PATH ?? env.PATH },
      cwd: worktree.path,
      mark,
      account,
      ending,
      redaction,
      onSurvivors,
      killTimeoutMs,
      limit: SETUP_TIMEOUT_MS,
      onStdout: (chunk) => keep(stdout.push(chunk)),
      onStderr: (chunk) => keep(stderr.push(chunk)),
    });
    if (exit.exitCode !== 0) {
      const how = exit.signal === null ? `exit code ${exit.exitCode}` : `ended by ${exit.signal}`;
      throw new Error(`the setup command failed: ${how}. ${lastLine(exit.stderrTail)}`.trim());
    }
    if (exit.survivors.length > 0)
      warnings.push(`repository: processes of the setup command: ${survivorsText(exit.survivors)}`);
    await markSetUp(worktree, setup);
  } finally {
    for (const redactor of [stdout, stderr]) keep(redactor.flush());
    log.end();
    await finished(log).catch(() => undefined);
  }
  if (failure !== undefined)
    warnings.push(`repository: not all output of the setup command was stored: ${failure.message}`);
  return warnings;
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.slice(0, 200) ?? '';
}
