import type { Readable } from 'node:stream';
import type { Env } from './credentials.ts';
import type { StopSignal } from './exit-codes.ts';
import type { OptionSpec } from './option.ts';
import type { Terminal } from './terminal.ts';

/** What every command gets. */
export interface Context {
  readonly env: Env;
  readonly version: string;
  readonly commands: readonly CommandSpec[];
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly terminal: Terminal;
  /** Registers what Ctrl-C does. @returns a function that removes it */
  readonly onInterrupt: (handler: () => void) => () => void;
  /** Registers what Ctrl-C, SIGTERM, SIGHUP and a closed pipe do. After the first, only Ctrl-C ends the command at once. */
  readonly onStop: (handler: (signal: StopSignal) => void) => () => void;
}

/** A command: gets its arguments in order, and returns the exit code. */
export type CommandRun<O = Readonly<Record<string, unknown>>> = (
  context: Context,
  args: readonly string[],
  options: O,
) => Promise<number>;

/** A command of `promptq`. Help, completion, and the tests of its routes and its JSON follow from this table. */
export interface CommandSpec {
  readonly name: string;
  readonly about: string;
  /** As commander writes them: `<required>`, `[optional]`, `[several...]`. */
  readonly args?: readonly (readonly [name: string, about: string, choices?: readonly string[]])[];
  readonly options?: readonly OptionSpec[];
  /** Words after which shells complete what another command prints, one name a line. */
  readonly names?: { readonly after: readonly string[]; readonly from: string };
  /** Ids of the routes that it calls. */
  readonly routes: readonly string[];
  /** Schema of openapi.json that the output of `--json` has; without one, there is no such output or no schema. */
  readonly json?: string;
  /** Schemas of the lines that `--json` prints with `-f`. */
  readonly jsonLines?: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: each command has its own options, and commander parses them by this table
  readonly load: () => Promise<{ readonly run: CommandRun<any> }>;
}
