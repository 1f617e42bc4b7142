import type { Usage } from '../../jobs/lifecycle/receipt.ts';

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
  /** The model that the agent said it uses. */
  readonly model?: string;
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
  /** No more bytes come: whatever was begun is read as it stands. Call it once. */
  end(): void;
  /** What is known so far. */
  facts(): AgentFacts;
}

/** Takes a part of what the agent said; `end`: of one message, with which everything open in it ends too. */
export interface MessageReader {
  push(text: string): void;
  end(): void;
}

/** How an attempt ended, beside what its stdout says. */
interface AttemptExit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last 64 KiB of stderr. */
  readonly stderrTail: string;
}

/** How much of stderr's end, in bytes, `conclude` is shown. */
export const STDERR_TAIL = 64 * 1024;

/** How what an agent's CLI wrote is understood: while it runs, and ever after from what is persisted. */
export interface AgentOutput {
  /** @param messages gets what the agent says, message by message (a shell: its whole stdout as one). */
  createReader(messages?: MessageReader): AgentReader;
  /**
   * Facts that only the end tells, merged over `facts`. A CLI that says "not logged in" on stderr is recognised here.
   */
  conclude(facts: AgentFacts, exit: AttemptExit): AgentFacts;
}
