import type { AgentOutput } from '../../lib/vendors/output/agent-output.ts';

/** What the worker must know of a vendor's CLI. One adapter is one file beside this one. */

/** Name of an agent's own folder in the folder of its attempt. */
export const AGENT_FOLDER = 'agent';

/** One attempt as an adapter sees it. All paths are absolute. */
export interface AgentRun {
  /** The composed prompt. */
  readonly prompt: string;
  readonly model: string | undefined;
  /** The job's working folder; it exists. */
  readonly cwd: string;
  /** A folder of this attempt alone, for configuration and script files; removed afterwards. */
  readonly attemptDir: string;
  /** Extra arguments of the profile. */
  readonly args: readonly string[];
  /** The allow-listed environment that the worker made (PATH, HOME, LANG, the attempt's mark, the profile's own). */
  readonly env: Readonly<Record<string, string>>;
  readonly sandbox: 'workspace-write' | 'read-only' | 'none';
  /** Where the CLI talks to; `undefined`: the vendor itself. */
  readonly vendor: { readonly baseUrl: string; readonly apiKey: string } | undefined;
  /** The practice vendor, where the CLI is to use the login in its own folder instead of a key. */
  readonly practiceUrl?: string | undefined;
}

/** What is to be spawned. */
export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Written to stdin, then EOF; empty: EOF at once. */
  readonly stdin: string;
}

/** An adapter; how its CLI's output is understood is in `lib/agents`, because it is also read long after the run. */
export interface Agent extends AgentOutput {
  readonly name: 'codex' | 'claude' | 'shell';
  /** The signal that asks this CLI to end itself and its tools. */
  readonly politeSignal: 'SIGINT' | 'SIGTERM';
  /** Longest composed prompt in characters (UTF-16 units are not meant: code points). */
  readonly maxPromptLength: number;
  /** Writes what the CLI needs into `attemptDir` and says what to spawn. Throws an Error with a plain message if it can't start. */
  prepare(run: AgentRun): Promise<AgentCommand>;
}
