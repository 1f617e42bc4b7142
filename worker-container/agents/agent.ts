import type { Usage } from '../../lib/jobs/receipt.ts';

/** What the worker must know of a vendor's CLI. One adapter is one file beside this one. */

/** One attempt as an adapter sees it. All paths are absolute. */
export interface AgentRun {
  /** The composed prompt. */
  readonly prompt: string;
  readonly model: string | undefined;
  /** The job's working folder; it exists. */
  readonly cwd: string;
  /** An empty folder of this attempt alone, for configuration and script files; removed afterwards. */
  readonly attemptDir: string;
  /** Extra arguments of the profile. */
  readonly args: readonly string[];
  /** The allow-listed environment that the worker made (PATH, HOME, LANG, the attempt's mark, the profile's own). */
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: 'workspace-write' | 'read-only' | 'none';
  /** Where the CLI talks to; `undefined`: the vendor itself. */
  readonly vendor: { readonly baseUrl: string; readonly apiKey: string } | undefined;
}

/** What is to be spawned. */
export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Written to stdin, then EOF; empty: EOF at once. */
  readonly stdin: string;
}

/** Why a job must wait although nothing is wrong with it. */
export interface Park {
  readonly reason: 'account_required' | 'usage_limit';
  /** When the vendor's limit is said to be over, RFC 3339; absent: not said. */
  readonly until?: string;
}

/** What the CLI's own events said. */
export interface AgentFacts {
  readonly sessionId?: string;
  readonly usage?: Usage;
  /** The agent's last message. */
  readonly finalMessage?: string;
  /** The agent itself reported failure: not a success whatever the exit code. */
  readonly error?: string;
  readonly park?: Park;
  /** A final result was seen; the process is expected to exit now. */
  readonly finished: boolean;
}

/** Reads one attempt's stdout, in constant memory however long its lines are. */
export interface AgentReader {
  /** Takes raw bytes as they come, cut anywhere. */
  push(chunk: Buffer): void;
  /** What is known so far. */
  facts(): AgentFacts;
}

export interface Agent {
  readonly name: 'codex' | 'claude' | 'shell';
  /** The signal that asks this CLI to end itself and its tools. */
  readonly politeSignal: 'SIGINT' | 'SIGTERM';
  /** Longest composed prompt in characters (UTF-16 units are not meant: code points). */
  readonly maxPromptLength: number;
  /** Writes what the CLI needs into `attemptDir` and says what to spawn. Throws an Error with a plain message if it can't start. */
  prepare(run: AgentRun): Promise<AgentCommand>;
  createReader(): AgentReader;
  /**
   * Facts that only the end tells (stderr's last 64 KiB, the exit code), merged over `facts`.
   * A CLI that says "not logged in" on stderr is recognised here.
   */
  conclude(facts: AgentFacts, end: { exitCode: number | null; signal: string | null; stderrTail: string }): AgentFacts;
}
