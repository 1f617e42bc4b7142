/** A part of what an agent did, as it is shown. */
export type AgentEvent =
  | { readonly kind: 'message' | 'reasoning' | 'error' | 'note' | 'raw'; readonly text: string }
  | {
      readonly kind: 'command';
      readonly command: string;
      readonly output: string;
      /** Null: it has not ended, or it is not told. */
      readonly exitCode: number | null;
      readonly state: 'running' | 'done' | 'failed';
    }
  | {
      readonly kind: 'files';
      readonly changes: readonly { readonly path: string; readonly change: string }[];
      readonly state: 'running' | 'done' | 'failed';
    }
  | {
      readonly kind: 'tool';
      readonly name: string;
      readonly input: string;
      readonly output: string;
      readonly state: 'running' | 'done' | 'failed';
    }
  | { readonly kind: 'usage'; readonly facts: readonly (readonly [label: string, value: string])[] };

/** What a line says: an event, which may be a newer state of the one with the same `key`. */
export interface EventChange {
  readonly key?: string;
  readonly event: AgentEvent;
}
