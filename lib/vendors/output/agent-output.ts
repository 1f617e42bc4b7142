import type { PlainReport } from '../../contract/agents/definition.ts';
import type { Usage } from '../../contract/usage.ts';

/** What the CLI's own events reported. */
export interface AgentFacts {
  readonly sessionId?: string;
  /** The session is open and does not have the prompt yet: an agent that continued it would not know its task. */
  readonly lacksPrompt?: true;
  readonly usage?: Usage;
  /** The model that the agent reported. */
  readonly model?: string;
  /** The agent's last message. */
  readonly finalMessage?: string;
  /** The agent itself reported a failure: not a success whatever the exit code. */
  readonly error?: string;
  /** Why the job must wait although nothing is wrong with it. */
  readonly park?: NonNullable<PlainReport['park']>;
  /** Another attempt can't help: the vendor refuses the request, or what its conversation holds. */
  readonly refused?: NonNullable<PlainReport['refused']>;
  /** How many agents that it has started still work. */
  readonly helpers?: number;
  /** A final result was seen; the process is expected to exit now. */
  readonly finished: boolean;
  /** Its turn must end before its exit code counts. */
  readonly open?: boolean;
}

/** Reads one attempt's stdout in constant memory, however long its lines are. */
export interface AgentReader {
  /** Takes raw bytes as they arrive, cut anywhere. */
  push(chunk: Buffer): void;
  /** Ends the input: anything incomplete is read as it is. Call it once. */
  end(): void;
  /** What is known so far. */
  facts(): AgentFacts;
}

/**
 * What the lines of messages with an ASCII text mention: the text, or an escape in whose place a part of it may be.
 * Undefined: anything.
 */
export function mentions(about: string | undefined): string[] | undefined {
  return about === undefined ? undefined : [about, '\\u'];
}

/** The facts once the session has the prompt. */
export function withPrompt({ lacksPrompt: _lacks, ...facts }: AgentFacts): AgentFacts {
  return facts;
}

/** The id of the session, once it has the prompt. */
export function promptedSession({ sessionId, lacksPrompt }: AgentFacts): string | undefined {
  return lacksPrompt === true ? undefined : sessionId;
}

/** Receives a part of an agent's message; `end`: the message is over, and everything open in it ends too. */
export interface MessageReader {
  push(text: string): void;
  end(): void;
}

/** `billed`: earlier attempts made and recorded it; `unbilled`: those were lost; `own`: of the attempt itself. */
export type SessionPart = 'billed' | 'unbilled' | 'own';

/** Reads the usage of one attempt from the session of its agent. */
export interface SessionMeter {
  /** Takes the session in order, cut anywhere. */
  push(chunk: Buffer, part: SessionPart): void;
  /** Forgets the attempt's own part: another file took the session's place. */
  reset(): void;
  /**
   * The attempt's usage, with that of the unbilled part.
   * @param reported as its output has it, which may include that of the attempts before
   */
  usage(reported: Usage | undefined): Usage | undefined;
}

/** How an attempt ended, besides its stdout. */
interface AttemptExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last 64 KiB of stderr. */
  readonly stderrTail: string;
}

/** How many bytes of stderr's end `conclude` gets. */
export const STDERR_TAIL_BYTES = 64 * 1024;

/** Parses the output of an agent's CLI: while it runs, and later from what is stored. */
export interface AgentOutput {
  /** Its whole stdout is one message, without a final one in it. */
  readonly isOneMessage?: true;
  /**
   * @param messages receives the agent's messages (for a shell: its whole stdout as one)
   * @param about only messages with this ASCII text are needed, and no facts: most of the output is then skipped unread
   */
  createReader(messages?: MessageReader, about?: string): AgentReader;
  /** Facts known only at the end, merged with `facts`. Recognizes a CLI that reports "not logged in" on stderr. */
  conclude(facts: AgentFacts, exit: AttemptExit): AgentFacts;
  /** Absent: it keeps no session. */
  createMeter?(): SessionMeter;
}
