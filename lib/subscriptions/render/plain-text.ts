import { cut } from '../notice/foreign-text.ts';
import type { Notice } from '../notice/notice.ts';

interface TextOptions {
  /** UTF-16 units of the escaped text. */
  readonly most: number;
  /** What the channel needs so that a text is nothing but text. Default: as it is. */
  readonly asText?: (text: string) => string;
  /** Whether the options are listed: not where they are buttons. Default: true. */
  readonly options?: boolean;
}

/**
 * A notice as lines of text: what, why, the question, its options with numbers, the facts, the link. The link is whole
 * whatever else is cut.
 */
export function plainText(notice: Notice, { most, asText = asIs, options = true }: TextOptions): string {
  const link = notice.link === null ? '' : asText(notice.link);
  const end = link === '' || link.length + 4 > most ? '' : `\n${link}`;
  return `${cut([...linesOf(notice, options)].join('\n'), most - end.length, asText)}${end}`;
}

function* linesOf({ title, why, question, facts, items = [] }: Notice, options: boolean): Generator<string> {
  yield title;
  if (why !== null) yield why;
  if (question !== null) {
    yield `\n${question.text}\n`;
    if (options) yield* question.options.map((option, at) => `${at + 1}. ${option}`);
  }
  for (const item of items) yield ['', item.title, item.why, item.link].filter((part) => part !== null).join('\n');
  if (items.length > 0) yield '';
  if (facts.length > 0) yield facts.join(' · ');
}

function asIs(text: string): string {
  return text;
}
