/** One streamed response of the model. Every method rejects with an AbortError once the client has disconnected. */
export interface Reply {
  reasoning(text: string): Promise<void>;
  message(text: string): Promise<void>;
  /** Has the CLI run a shell command for a step; complete the response next, since the CLI runs it then. */
  run(step: number, command: string): Promise<void>;
  /** Has the CLI call a tool of the attempt for a step; complete the response next. */
  use(step: number, tool: string, input: Readonly<Record<string, unknown>>): Promise<void>;
  /** Waits for a command that codex runs in a session. */
  poll(step: number, session: number): Promise<void>;
  /** Pauses for that long, with events that keep the client's idle timeout from ending the stream. */
  think(milliseconds: number): Promise<void>;
  /** Sends nothing more; never resolves. */
  fallSilent(): Promise<never>;
  /** Sends the usage and ends the response. */
  complete(): Promise<void>;
}

/** Of the tokens that `drill: spend` reports for a call, those of the output. */
export const REPORTED_OUTPUT_TOKENS = 10;
