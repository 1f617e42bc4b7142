import { stripVTControlCharacters } from 'node:util';
import { harmless } from '../../contract/input/harmless.ts';
import type { AgentEvent, EventChange } from './agent-event.ts';
import { lineChanges } from './line-changes.ts';
import { createLineReader } from './line-reader.ts';
import { withoutShell } from './without-shell.ts';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
/** Puts a text into a colour, if that is shown. */
export type Paint = (style: Style, text: string) => string;

/** Lines of a call's output, and characters of a tool's input, that are shown. */
const OUTPUT_LINES = 10;
const INPUT_LENGTH = 120;

/** Turns an agent's stdout into text for people. Each call returns what can be printed by then. */
export interface Timeline {
  push(piece: { readonly text: string; readonly offset: number }): string;
  /** The rest, when the attempt has ended. */
  end(): string;
  /** Whether the agent has reported an error. */
  readonly hasErrors: boolean;
}

/** What an agent has said and done, as text. @param stdout its end may begin within a line, which is left out */
export function timelineText(
  stdout: string,
  { fromMiddle }: { readonly fromMiddle: boolean },
): {
  readonly text: string;
  readonly hasErrors: boolean;
} {
  const timeline = createTimeline((_, text) => text);
  const start = fromMiddle ? stdout.indexOf('\n') + 1 : 0;
  const text = timeline.push({ text: stdout.slice(start), offset: start }) + timeline.end();
  return { text, hasErrors: timeline.hasErrors };
}

/** @param paint colours text, or returns it as it is */
export function createTimeline(paint: Paint): Timeline {
  const calls = new Map<string, AgentEvent>();
  const page = new Page(paint);
  let usage: AgentEvent | undefined;
  let hasErrors = false;

  const show = ({ key, event }: EventChange) => {
    const started = key === undefined ? undefined : calls.get(key);
    if (key !== undefined && 'state' in event) {
      if (event.state === 'running') calls.set(key, event);
      else calls.delete(key);
    }
    hasErrors ||= event.kind === 'error';
    // Each usage replaces the one before.
    if (event.kind === 'usage') usage = event;
    else page.add(event, { key, isNews: started === undefined });
  };
  const reader = createLineReader((text) => {
    const changes = lineChanges(text, (key) => calls.get(key));
    if (changes === undefined) page.add({ kind: 'raw', text }, { key: undefined, isNews: true });
    else for (const change of changes) show(change);
  });

  return {
    push(piece) {
      reader.push(piece);
      return page.take();
    },
    end() {
      reader.flush();
      if (usage !== undefined) page.add(usage, { key: undefined, isNews: true });
      return page.take();
    },
    get hasErrors() {
      return hasErrors;
    },
  };
}

/** Events as text, with blank lines around what the agent says. */
class Page {
  readonly #paint: Paint;
  #text = '';
  #last: { readonly event: AgentEvent; readonly key: string | undefined } | undefined;

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  /** @param place.isNews whether the start of the event has not been shown yet */
  add(event: AgentEvent, { key, isNews }: { readonly key: string | undefined; readonly isNews: boolean }): void {
    const last = this.#last;
    // codex reports the error that ends a turn twice.
    if (event.kind === 'error' && last?.event.kind === 'error' && last.event.text === event.text) return;
    const continues = !isNews && last?.key === key;
    const lines = [...(continues ? [] : headOf(event, this.#paint)), ...restOf(event, this.#paint)];
    if (lines.length === 0) return;
    if (last !== undefined && (SPEECH.has(event.kind) || SPEECH.has(last.event.kind))) this.#text += '\n';
    this.#text += `${lines.join('\n')}\n`;
    this.#last = { event, key };
  }
}

const SPEECH: ReadonlySet<AgentEvent['kind']> = new Set(['message', 'reasoning']);

/** What is known of an event when it starts. */
function headOf(event: AgentEvent, paint: Paint): string[] {
  switch (event.kind) {
    case 'command':
      return [paint('bold', `$ ${plain(withoutShell(event.command))}`)];
    case 'tool':
      return [paint('bold', `${oneLine(event.name)} ${oneLine(event.input)}`.trim())];
    case 'files':
      return event.changes.map(({ path, change }) => `${paint('bold', plain(change))} ${plain(path)}`);
    case 'usage':
      return [paint('dim', event.facts.map(([label, value]) => `${label} ${value}`).join(', '))];
    case 'error':
      return [`${paint('red', 'error:')} ${plain(event.text)}`];
    case 'message':
    case 'raw':
      return [plain(event.text)];
    case 'note':
    case 'reasoning':
      return [paint('dim', plain(event.text))];
  }
}

/** What is known of it when it has ended. */
function restOf(event: AgentEvent, paint: Paint): string[] {
  if (!('state' in event) || event.state === 'running') return [];
  const output = 'output' in event ? outputLines(event.output, paint) : [];
  if (event.state !== 'failed') return output;
  const exit = event.kind === 'command' && event.exitCode !== null ? `exit code ${event.exitCode}` : 'failed';
  return [...output, `  ${paint('red', exit)}`];
}

/** The end of an output, which says more than its beginning. */
function outputLines(output: string, paint: Paint): string[] {
  const lines = plain(output).trimEnd().split('\n');
  if (lines.length === 1 && lines[0] === '') return [];
  const hidden = Math.max(0, lines.length - OUTPUT_LINES);
  const shown = lines.slice(hidden).map((line) => `  ${line}`);
  return hidden === 0 ? shown : [`  ${paint('dim', `… ${hidden} more ${hidden === 1 ? 'line' : 'lines'}`)}`, ...shown];
}

function oneLine(text: string): string {
  const line = plain(text).replaceAll(/\s+/g, ' ');
  return line.length <= INPUT_LENGTH ? line : `${line.slice(0, INPUT_LENGTH - 1)}…`;
}

/** Without colours and whatever else controls a terminal. */
function plain(text: string): string {
  return harmless(stripVTControlCharacters(text));
}
