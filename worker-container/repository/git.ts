import { dirname } from 'node:path';
import { networkIn } from '../../lib/platform/config/surroundings.ts';
import type { WorkerEnv } from '../../lib/platform/config/worker-env.ts';
import { allowedProtocols } from '../../lib/projects/repository-address.ts';
import type { Ending } from '../commands/ending.ts';
import { runPreparing } from '../commands/preparing-process.ts';
import type { SurvivorRule } from '../commands/process-tree.ts';
import type { Redaction } from '../secrets/redaction.ts';
import type { ServiceAccount } from '../service-accounts/service-account.ts';

/** Where git's calls for one attempt run, and what ends them. */
export interface GitSurroundings extends SurvivorRule {
  readonly env: WorkerEnv;
  /** The attempt's mark, by which its calls are found. */
  readonly mark: string;
  readonly attemptDir: string;
  /** Undefined: only its time limit ends a call. */
  readonly ending: Ending | undefined;
  readonly account: ServiceAccount | undefined;
  /** Masks git's error messages. */
  readonly redaction: Redaction;
}

export interface GitCall {
  /** The repository to use. With it, nothing in a worktree can choose another one. */
  readonly repository?: { readonly gitDir: string; readonly workTree?: string };
  readonly env?: Readonly<Record<string, string>>;
  /** Added to the settings of every call. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly limit?: number;
  /** Receives the output, which is then not returned. */
  readonly onStdout?: (chunk: Buffer) => void;
  /** Receives git's messages, unmasked. */
  readonly onStderr?: (chunk: Buffer) => void;
}

/** Milliseconds: enough for the first clone of a large repository. */
const GIT_TIMEOUT_MS = 1_800_000;
/** Milliseconds that a call may take which reads a repository that a job can write: it may have made a file a FIFO. */
export const JOBS_REPOSITORY_LIMIT_MS = 10_000;

/** Time limit of a tool, in milliseconds. */
const TOOL_TIMEOUT_MS = 300_000;
/** Most bytes of output to return. More is an error: no caller takes a part for the whole. */
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;

/**
 * Disables configuration and hooks that a repository, or an agent that worked in one, left behind. Git never prompts,
 * and a server can't redirect it (with the credentials) to another one.
 */
const SETTINGS = {
  'core.attributesFile': '/dev/null',
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.quotePath': 'false',
  'credential.helper': '',
  'fetch.recurseSubmodules': 'false',
  'gc.auto': '0',
  'http.followRedirects': 'false',
  'maintenance.auto': 'false',
  'protocol.ext.allow': 'never',
  'safe.directory': '*',
  'submodule.recurse': 'false',
} as const;

/**
 * Git's own refusal: the repository is damaged, say, or has no such ref. Any other error says nothing about the
 * repository: git was killed, took too long, or could not run.
 */
export class GitRefusedError extends Error {
  override readonly name = 'GitRefusedError';
  readonly exitCode: number | null;

  constructor(message: string, exitCode: number | null = null) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** What git says when the machine lacks memory, processes, descriptors or disk space. */
const SHORTAGE =
  /cannot allocate memory|disk quota exceeded|no space left|out of memory|temporarily unavailable|too many open files/i;

/**
 * Calls git. Arguments that clients influence must follow `--` or `--end-of-options`.
 * @returns its stdout.
 * @throws GitRefusedError; Error with git's message; CancelledBeforeStartError.
 */
export async function git(surroundings: GitSurroundings, args: readonly string[], call: GitCall = {}): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const collect = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_OUTPUT_BYTES) parts.push(chunk);
  };
  const exit = await runPreparing({
    command: 'git',
    args: [
      ...Object.entries({ ...SETTINGS, ...call.settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ...args,
    ],
    env: { ...environmentOf(surroundings), ...repositoryOf(call), ...call.env },
    cwd: surroundings.attemptDir,
    mark: surroundings.mark,
    account: surroundings.account,
    ending: surroundings.ending,
    redaction: surroundings.redaction,
    onSurvivors: surroundings.onSurvivors,
    killTimeoutMs: surroundings.killTimeoutMs,
    limit: call.limit ?? GIT_TIMEOUT_MS,
    onStdout: call.onStdout ?? collect,
    ...(call.onStderr && { onStderr: call.onStderr }),
  });
  if (exit.exitCode !== 0) {
    const { exitCode, signal } = exit;
    const how = signal === null ? `exit code ${exitCode}` : `ended by ${signal}`;
    const message = `git ${args[0]}: ${saidOf(exit.stderrTail) || how}`;
    throw signal === null && !SHORTAGE.test(message) ? new GitRefusedError(message, exitCode) : new Error(message);
  }
  if (bytes > MAX_OUTPUT_BYTES) throw new Error(`git ${args[0]}: its output has more than 8 MiB`);
  return Buffer.concat(parts).toString();
}

function environmentOf({ env, attemptDir }: GitSurroundings): Record<string, string> {
  return {
    ...networkIn(env),
    PATH: env.PATH,
    LANG: 'C.UTF-8',
    // Not the account's home: its configuration and credentials do not concern a job.
    HOME: attemptDir,
    ...(env.PROMPTQ_RUN_HOME !== undefined && { PROMPTQ_RUN_HOME: env.PROMPTQ_RUN_HOME }),
    GIT_ALLOW_PROTOCOL: allowedProtocols({ loopback: env.PROMPTQ_REPOSITORY_LOOPBACK }),
    GIT_ATTR_NOSYSTEM: '1',
    GIT_CEILING_DIRECTORIES: dirname(attemptDir),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_TERMINAL_PROMPT: '0',
  };
}

function repositoryOf({ repository }: GitCall): Record<string, string> {
  if (repository === undefined) return {};
  const { gitDir, workTree } = repository;
  return { GIT_DIR: gitDir, ...(workTree !== undefined && { GIT_WORK_TREE: workTree }) };
}

/**
 * Runs a small tool on files of a repository, confined as git itself: what an agent put there leads it no further.
 * @param onOutput receives its stdout, which is then not returned.
 * @returns its stdout.
 */
export async function runTool(
  { env, attemptDir, mark, account, ending, redaction, onSurvivors, killTimeoutMs }: GitSurroundings,
  command: string,
  args: readonly string[],
  onOutput?: (chunk: Buffer) => void,
): Promise<string> {
  const parts: Buffer[] = [];
  const at = { cwd: attemptDir, mark, account, ending, redaction, onSurvivors, killTimeoutMs, limit: TOOL_TIMEOUT_MS };
  const onStdout = onOutput ?? ((chunk: Buffer) => parts.push(chunk));
  await runPreparing({ command, args, env: { PATH: env.PATH, LANG: 'C.UTF-8' }, ...at, onStdout });
  return Buffer.concat(parts).toString();
}

/** The sentence of git's output that matters. */
function saidOf(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.trim());
  const reported = lines.filter((line) => /^(fatal|error|remote):/.test(line));
  return (reported.length > 0 ? reported : lines.filter((line) => line !== '')).slice(-2).join(' ');
}
