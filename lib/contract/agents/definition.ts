/** All that the service knows about an agent. Each agent is one file in this folder; `../agents.ts` lists them. */
export interface AgentDefinition {
  /** Maximum length of the composed prompt in characters (code points, not UTF-16 units). */
  readonly maxPromptLength: number;
  /** Variable of the worker and of the agent: the path of the CLI, if it isn't the installed one. */
  readonly binary?: `PROMPTQ_${string}_BIN`;
  /** Whether the workers' image can contain the CLI, as a deployment chooses. */
  readonly isInImage: boolean;
  /**
   * Credentials of the vendor's account: the variable of the worker, and the name under which the agent gets it.
   * A profile can set either one, to use a separate account. The worker masks the values in all output.
   */
  readonly credentials: Readonly<Record<string, string>>;
  /** What a separate adapter lets the agent do. Of a CLI with `cli` it follows from that. */
  readonly abilities?: Abilities;
  /** How to run the CLI and how to read it; absent: it has a separate adapter and parser. */
  readonly cli?: PlainCli;
}

/** What an agent's jobs can do besides running a prompt. */
export interface Abilities {
  /** Another attempt or turn continues the session of the one before. */
  readonly resume: boolean;
  /** A running agent takes messages. */
  readonly steer: boolean;
  /** The agent gets tools, such as the one that asks people. */
  readonly ask: boolean;
}

/** A CLI that takes one prompt, ends, and reports on stdout what it did. */
export interface PlainCli {
  /** Its file name on the worker's PATH. */
  readonly command: string;
  /** Whether it reads the prompt from stdin; else the prompt is among its arguments. */
  readonly readsStdin: boolean;
  /** The signal that asks the CLI to end itself and its tools. */
  readonly politeSignal: 'SIGINT' | 'SIGTERM';
  /** Folder below `PlainRun.folder` where the CLI keeps a session as `….SESSION_ID.jsonl` or `SESSION_ID.jsonl`. */
  readonly sessionFolder?: string;
  /** The arguments; the profile's own come after them. */
  arguments(run: PlainRun): readonly string[];
  /** Variables beyond the attempt's, such as where the CLI keeps its files. */
  environment?(run: PlainRun): Readonly<Record<string, string>>;
  /** Reads a line of stdout that is JSON; absent: all of stdout is the agent's message. */
  read?(line: unknown): PlainReport;
}

/** One attempt as a CLI's arguments need it. */
export interface PlainRun {
  readonly prompt: string;
  readonly model: string | undefined;
  /** The session to continue; undefined: it starts one. */
  readonly resume?: string | undefined;
  readonly sandbox: 'workspace-write' | 'read-only' | 'none';
  /** The working folder; absolute, as the next one. */
  readonly cwd: string;
  /** A folder of this attempt only. */
  readonly folder: string;
}

/** What a line of stdout reports; what is absent stays as it was. */
export interface PlainReport {
  /** A whole message of the agent to its user. */
  readonly message?: string;
  readonly sessionId?: string;
  readonly model?: string;
  /** Of the whole run so far. */
  readonly usage?: {
    readonly input_tokens: number;
    readonly cached_input_tokens: number;
    readonly output_tokens: number;
    readonly reasoning_output_tokens: number;
    readonly cost_usd?: number;
  };
  /** The agent reports a failure: the attempt has failed whatever its exit code. */
  readonly error?: string;
  /** Nothing is wrong with the job, but it has to wait: for the account, or for the vendor. */
  readonly park?: {
    readonly reason: 'account_required' | 'usage_limit' | 'vendor_overloaded';
    /** When the vendor takes jobs again, RFC 3339; absent: not reported. */
    readonly until?: string;
  };
  /** Another attempt can't help: the vendor refuses the request, or what its conversation holds. */
  readonly refused?: 'request' | 'conversation';
  /** The final result: the process is expected to exit now. */
  readonly finished?: boolean;
}
