import type { Writable } from 'node:stream';
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

/**
 * Begins the conversation with a CLI that has started.
 * @param stdin the worker's end of the CLI's stdin
 * @returns undefined: the CLI has its prompt and takes nothing else
 */
export function startDrive(
  { talk }: DriveOfRun,
  stdin: Writable | undefined,
  onSeen: (messageId: string) => void,
): Drive | undefined {
  if (talk === undefined || stdin === undefined) return undefined;
  // The CLI may have exited, which the exit of its process shows.
  stdin.on('error', () => undefined);
  const drive = talk({
    send: (value) => void (stdin.writable && stdin.write(`${JSON.stringify(value, wellFormed)}\n`)),
    close: () => stdin.end(),
    onSeen,
  });
  drive.begin();
  return drive;
}

/** A JSON escape of half a surrogate pair is a line that codex never answers; in a plain text it becomes U+FFFD. */
function wellFormed(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}
