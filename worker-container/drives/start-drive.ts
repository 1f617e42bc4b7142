import type { Writable } from 'node:stream';
import type { Drive, DriveOfRun } from './drive.ts';

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
