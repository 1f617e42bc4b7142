/**
 * The texts of templates. `{{name}}` is a placeholder for the value of a parameter; blanks within the braces are
 * allowed. `{{"{{"}}` is two braces, for texts that contain braces themselves. Any other `{{` is a fault, so that a typo
 * can't reach an agent.
 *
 * A text is parsed once, when values are put in. Values are not parsed: braces in them are text.
 */
import { shown } from '../input/legible.ts';

type Part = { readonly text: string } | { readonly name: string };

const TOKEN = /\{\{[ \t]*(?:([a-z][a-z0-9_]*)|"\{\{")[ \t]*\}\}/g;

/** Characters of a stray `{{` that its fault shows. */
const SHOWN_LENGTH = 30;

function partsOf(text: string): { readonly parts: readonly Part[]; readonly strays: readonly number[] } {
  const parts: Part[] = [];
  const strays: number[] = [];
  let end = 0;
  const addText = (from: number, to: number) => {
    const between = text.slice(from, to);
    for (let at = between.indexOf('{{'); at !== -1; at = between.indexOf('{{', at + 2)) strays.push(from + at);
    parts.push({ text: between });
  };
  for (const match of text.matchAll(TOKEN)) {
    addText(end, match.index);
    parts.push(match[1] === undefined ? { text: '{{' } : { name: match[1] });
    end = match.index + match[0].length;
  }
  addText(end, text.length);
  return { parts, strays };
}

/** The names of the parameters that a text has placeholders for. */
export function placeholdersIn(text: string): ReadonlySet<string> {
  return new Set(partsOf(text).parts.flatMap((part) => ('name' in part ? [part.name] : [])));
}

/** What is wrong with a text, in words. */
export function placeholderFaults(text: string): string[] {
  return partsOf(text).strays.map((at) => {
    const line = text.slice(0, at).split('\n').length;
    const found = shown(text.slice(at, at + SHOWN_LENGTH).toWellFormed(), SHOWN_LENGTH + 2);
    return `line ${line}: received ${found}; expected {{name}}, or {{"{{"}} for two braces`;
  });
}

/** A text with the values of its placeholders. @param textFor the text of a parameter's value */
export function withValues(text: string, textFor: (name: string) => string): string {
  return partsOf(text)
    .parts.map((part) => ('name' in part ? textFor(part.name) : part.text))
    .join('');
}

/** The length of `withValues`, without making it. */
export function lengthWithValues(text: string, textFor: (name: string) => string): number {
  const lengths = partsOf(text).parts.map((part) => ('name' in part ? textFor(part.name) : part.text).length);
  return lengths.reduce((sum, length) => sum + length, 0);
}
