/** An event of an agent, as shown. */
export type AgentEvent =
  | { readonly kind: 'message' | 'reasoning' | 'error' | 'note' | 'raw'; readonly text: string }
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly output: string;
      /** Null: it has not ended, or the agent does not report it. */
      readonly exitCode: number | null;
      readonly state: CallState;
    }
  | {
      readonly kind: 'files';
      readonly changes: readonly { readonly path: string; readonly change: string }[];
      readonly state: CallState;
    }
  | {
      readonly kind: 'tool';
      readonly name: string;
      readonly input: string;
      readonly output: string;
      readonly state: CallState;
    }
  | { readonly kind: 'usage'; readonly facts: readonly (readonly [label: string, value: string])[] };

export type CallState = 'running' | 'done' | 'failed';

/** An event from a line, which may be a newer state of the event with the same `key`. */
export interface EventChange {
  readonly key?: string;
  readonly event: AgentEvent;
  /** The agent's timestamp, epoch milliseconds. */
  readonly at?: number;
}
