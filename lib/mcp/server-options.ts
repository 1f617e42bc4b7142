import type { Promptq } from '../client/promptq.ts';
import type { ToolName, Wire } from './tool-table.ts';

/** What distinguishes one server of the tools from another. */
export interface ServerOptions {
  readonly version: string;
  readonly wire: Wire;
  /** The tools that it offers; default: all. */
  readonly offers?: (tool: ToolName) => boolean;
  /** Whether an answer of the client's user may be given to a job. */
  readonly mayAnswer?: boolean;
  /** Of the caller, for each request. @param over ends its requests */
  readonly client: (over?: AbortSignal) => Promise<Promptq>;
  /** Ends a call of a tool; default: its time. */
  readonly over?: AbortSignal;
  /** The sentence about an error, for the caller. */
  readonly explain: (error: unknown, of: string) => Promise<string>;
}
