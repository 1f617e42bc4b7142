import { oneLine } from './foreign-text.ts';
import type { Notice } from './notice.ts';

/** Notices that a digest shows. It counts the others. */
const SHOWN = 15;

/** Many notices as one: those that ask for people first, then failures, each in the order in which they came. */
export function digestOf(
  notices: readonly Notice[],
  { key, origin }: { readonly key: string; readonly origin?: string | undefined },
): Notice {
  const kinds = [
    { mark: 'asks', word: 'to answer' },
    { mark: 'failed', word: 'failed' },
    { mark: 'told', word: 'other' },
  ].map(({ mark, word }) => ({ word, of: notices.filter((one) => one.mark === mark) }));
  const ordered = kinds.flatMap(({ of }) => of);
  const shown = ordered.slice(0, SHOWN);
  const more = notices.length - shown.length;
  return {
    key,
    settles: false,
    mark: 'told',
    thread: key,
    title: `${notices.length} messages: ${kinds.flatMap(({ word, of }) => (of.length > 0 ? [`${of.length} ${word}`] : [])).join(', ')}`,
    why: null,
    question: null,
    items: shown.map(({ title, why, question, link }) => ({
      title,
      why: why ?? (question && oneLine(question.text, 120)),
      link,
    })),
    facts: more > 0 ? [`${more} more`] : [],
    link: origin === undefined ? null : new URL('/jobs', origin).href,
  };
}
