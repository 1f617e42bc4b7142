/** How an agent's CLI reaches the tools of its attempt. */
export interface ToolAccess {
  readonly url: string;
  /** Given to the CLI in a file that only the slot's account can read, never in arguments or the environment. */
  readonly key: string;
}

/** Name of the server in the configuration of CLIs, and so a part of the names of its tools. */
export const TOOL_SERVER = 'promptq';

/** Seconds that a CLI waits for an answer: longer than any tool takes. */
export const TOOL_TIMEOUT_SECONDS = 120;

/** Seconds that a CLI waits for the server at its start. */
export const TOOL_START_SECONDS = 20;
