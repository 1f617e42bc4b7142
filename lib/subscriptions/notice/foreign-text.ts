import { isLegible } from '../../contract/input/legible.ts';

/**
 * Texts of agents and clients on their way to people's messengers. The author of a prompt, a title, a question or an
 * error may want to look like the service, call a whole channel, or break the message.
 */

const BLANK = /\s+/gu;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A text on one line, without characters that are invisible or change how others look. */
export function oneLine(text: string, most: number): string {
  return cut(visible(text).replaceAll(BLANK, ' ').trim(), most);
}

/** A text that keeps its lines, with at most one empty line between two. */
export function paragraphs(text: string, most: number): string {
  const lines = visible(text)
    .replaceAll(/[^\S\n]+/gu, ' ')
    .replaceAll(/ ?\n ?/gu, '\n');
  return cut(lines.replaceAll(/\n{3,}/gu, '\n\n').trim(), most);
}

/**
 * The beginning of a text that has at most so many UTF-16 units once it is escaped, with an ellipsis if that is not all.
 * Whole characters as a reader counts them: no accent or half of an emoji is left over.
 */
export function cut(text: string, most: number, asText: (part: string) => string = (part) => part): string {
  const whole = asText(text);
  if (whole.length <= most) return whole;
  let kept = '';
  // No more is looked at than is needed to see where the character at the end begins.
  for (const { segment } of graphemes.segment(text.slice(0, most + 64))) {
    const next = kept + asText(segment);
    if (next.length + 1 > most) break;
    kept = next;
  }
  return most < 1 ? '' : `${kept.trimEnd()}…`;
}

/** Lines are kept. Other characters that can't be seen become a blank each, unless a script needs them. */
function visible(text: string): string {
  const lines = text.replaceAll(/\r\n?|[\u2028\u2029\u0085\v\f]/gu, '\n');
  if (isLegible(lines.replaceAll('\n', ' '))) return lines;
  return Array.from(graphemes.segment(lines), ({ segment }) => readable(segment)).join('');
}

/** One character as a reader counts them. */
function readable(segment: string): string {
  if (segment === '\n' || isLegible(segment)) return segment;
  const seen = Array.from(segment).filter((character) => isLegible(character));
  return seen.length === 0 ? ' ' : seen.join('');
}

/**
 * A text that calls nobody. Messengers take `@name` for a person or a whole channel; with a word joiner, which has no
 * width, it is text.
 */
export function withoutCalls(text: string): string {
  return text.replaceAll('@', '@\u2060');
}

/** Slack's and Telegram's three escapes, which are those of HTML. */
export function escapeMarkup(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
