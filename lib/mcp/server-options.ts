import type { Promptq } from '../client/promptq.ts';
import type { ToolName, Wire } from './tool-table.ts';

/** What distinguishes one server of the tools from another. */
export interface ServerOptions {
  readonly version: string;
  readonly wire: Wire;
  /** Revisions of 2025 have tasks. */
  readonly era: 'legacy' | 'modern';
  /** The tools that it offers; default: all. */
  readonly offers?: (tool: ToolName) => boolean;
  /** Whether an answer of the client's user may be given to a job. */
  readonly mayAnswer?: boolean;
  /** Of the caller, for each request. @param over ends its requests */
  readonly client: (over?: AbortSignal) => Promise<Promptq>;
  /** Ends whatever a request waits for. Without it, only calls of tools end, in their time. */
  readonly over?: AbortSignal;
  /** Called when a request for the result of a task ends before the task, which its client may resume. */
  readonly onUnfinished?: (() => void) | undefined;
  /** The sentence about an error, for the caller. */
  readonly explain: (error: unknown, of: string) => Promise<string>;
}
