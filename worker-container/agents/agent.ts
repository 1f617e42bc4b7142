import type { AgentName } from '../../lib/contract/agents.ts';
import type { DriveSetting } from '../../lib/contract/drives.ts';
import type { AgentOutput } from '../../lib/vendors/output/agent-output.ts';
import type { ToolAccess } from '../commands/tool-access.ts';
import type { DriveOfRun } from '../drives/drive.ts';

/** What the worker needs to know about a vendor's CLI. Each adapter is one file in this folder. */

/** Name of an agent's folder inside its attempt's folder. */
export const AGENT_FOLDER = 'agent';

/** One attempt as an adapter sees it. All paths are absolute. */
export interface AgentRun {
  /** The composed prompt. */
  readonly prompt: string;
  readonly model: string | undefined;
  /** The session to continue with `prompt`; its file is in `sessionFolder`. Undefined: it starts one. */
  readonly resume?: string | undefined;
  /** The job's working folder; it exists. */
  readonly cwd: string;
  /** A folder of this attempt only, for configuration and script files; removed afterwards. */
  readonly attemptDir: string;
  /** Extra arguments of the profile. */
  readonly args: readonly string[];
  /** The allow-listed environment (PATH, HOME, LANG, the attempt's mark, the profile's own variables). */
  readonly env: Readonly<Record<string, string>>;
  /** Milliseconds that the job may run; undefined: no limit. */
  readonly timeoutMs: number | undefined;
  /** Names of variables that the commands of the agent must not see. */
  readonly hidden: readonly string[];
  readonly sandbox: 'workspace-write' | 'read-only' | 'none';
  /** What the profile says about the way to run the CLI. */
  readonly drive: DriveSetting;
  /** Where the CLI sends its requests; `undefined`: the vendor itself. */
  readonly vendor: { readonly baseUrl: string; readonly apiKey: string } | undefined;
  /** The practice vendor, if the CLI is to use the login in its own folder instead of a key. */
  readonly practiceUrl?: string | undefined;
  /** The tools of the attempt; undefined: it has none. */
  readonly tools?: ToolAccess | undefined;
}

/** The command to spawn. */
export interface AgentCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Written to stdin, then EOF; empty: EOF at once. Not used by a drive that talks. */
  readonly stdin: string;
  readonly drive: DriveOfRun;
}

/** An adapter. Its output parser is in `lib/vendors`, because output is also read long after the run. */
export interface Agent extends AgentOutput {
  readonly name: AgentName;
  /** The signal that asks this CLI to end itself and its tools. */
  readonly politeSignal: 'SIGINT' | 'SIGTERM';
  /** The folder with the CLI's sessions, below `attemptDir`; undefined: it keeps none. */
  readonly sessionFolder: string | undefined;
  /** Whether the CLI can call tools by the Model Context Protocol. */
  readonly takesTools: boolean;
  /** The version of the CLI that `prepare` starts in this environment; undefined: not known. Absent: it has none. */
  cliVersion?(env: Readonly<Record<string, string>>): Promise<string | undefined>;
  /** Writes the CLI's files into `attemptDir`. @returns what to spawn. @throws Error with a plain message */
  prepare(run: AgentRun): Promise<AgentCommand>;
}
