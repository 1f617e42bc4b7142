import type { DriveName } from '../../lib/contract/drives.ts';

/** A message for a running agent: its text as the agent is to read it, which contains its id. */
export interface AgentMessage {
  readonly id: string;
  readonly text: string;
}

/** What a drive does to its CLI and tells its attempt. */
export interface DrivePort {
  /** Writes one JSON value to stdin, as a line. */
  send(value: unknown): void;
  /** Ends stdin. The CLI exits once its turn is over. */
  close(): void;
  /** The message is in the session. */
  onSeen(messageId: string): void;
}

/** One conversation with a CLI that reads from stdin while it runs. */
export interface Drive {
  /** Gives the CLI its prompt. Call it once, when the CLI runs. */
  begin(): void;
  /** Takes stdout as the CLI wrote it, cut anywhere. */
  push(chunk: Buffer): void;
  /**
   * Adds a message to the turn. It is delivered when `onSeen` is called for it.
   * @returns false: the turn is over, and the message was not given
   */
  say(message: AgentMessage): boolean;
}

/** How an agent's CLI is run. `talk` absent: it gets nothing but its prompt. */
export type DriveOfRun =
  | { readonly name: Extract<DriveName, 'exec'>; readonly talk?: never }
  | { readonly name: Exclude<DriveName, 'exec'>; readonly talk: (port: DrivePort) => Drive };
