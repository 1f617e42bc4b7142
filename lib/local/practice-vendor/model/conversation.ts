import { hasDrills } from './drills.ts';

/** The result of one of our tool calls, as a CLI resends it. */
export interface ToolResult {
  /** The step of the call. */
  readonly step: number;
  /** codex's unified-exec session to poll, while the command still runs. */
  readonly session: number | undefined;
  /** New output of the command since the last poll. */
  readonly output: string;
}

/** The practice model's whole state of a run: a CLI resends the full history with each request. */
export interface Conversation {
  /** The prompt of the turn in progress. */
  readonly prompt: string;
  /** Every prompt and message of the user in the session, oldest first. */
  readonly prompts: readonly string[];
  /** Results of the calls since the turn's prompt, oldest first. */
  readonly results: readonly ToolResult[];
  /** Items in the request's history; makes call ids unique within a thread. */
  readonly length: number;
  /** Characters since the prompt, including it. */
  readonly characters: number;
  /** Of these, characters that are new in this request. */
  readonly freshCharacters: number;
}

/** One item of a history, whatever the vendor's format. */
export interface HistoryItem {
  /** `context`: text that the CLI sends as the user; `message`: words of the model. */
  readonly kind: 'prompt' | 'context' | 'message' | 'other';
  readonly text: string;
  readonly result?: ToolResult | undefined;
}

/** The conversation of a history. */
export function conversationOf(items: readonly HistoryItem[]): Conversation {
  const since = items.slice(turnStart(items));
  return {
    prompt: since[0]?.text ?? '',
    prompts: items.filter(({ kind }) => kind === 'prompt').map(({ text }) => text),
    results: since.flatMap(({ result }) => (result === undefined ? [] : [result])),
    length: items.length,
    characters: since.reduce((sum, { text }) => sum + text.length, 0),
    freshCharacters: since.at(-1)?.text.length ?? 0,
  };
}

/**
 * Where the turn in progress begins. A plain prompt that comes before the model has answered steers that turn or resumes
 * it; after an answer, or with drills, it begins a turn.
 */
function turnStart(items: readonly HistoryItem[]): number {
  const dialogue = items.map((item, index) => ({ ...item, index })).filter(({ kind }) => kind !== 'context');
  const start = dialogue.findLast(({ kind, text }, position) => {
    return kind === 'prompt' && (hasDrills(text) || dialogue[position - 1]?.kind === 'message');
  });
  const first = start ?? dialogue.find(({ kind }) => kind === 'prompt');
  const known = first?.index ?? items.findLastIndex(({ kind }) => kind === 'context');
  return known < 0 ? items.length : known;
}

/** The id of a call of `step`, which `stepOf` reads. */
export function callId(step: number, conversation: Conversation): string {
  return `practice_${step}_${conversation.length}`;
}

/** The step of a call that the practice model made; undefined: another call. */
export function stepOf(id: string | undefined): number | undefined {
  const step = /practice_(\d+)_/.exec(id ?? '')?.[1];
  return step === undefined ? undefined : Number(step);
}
