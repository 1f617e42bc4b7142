/** Shortest word that is also searched in ids: shorter ones occur in random ids by chance. */
const ID_WORD_LENGTH = 6;

/** A row stored beside a job: the job, the row's address, and the words of a search that it contains. */
export interface MatchedRow {
  readonly id: string;
  readonly address: string;
  readonly found: readonly string[];
}

const ASCII = /^[\0-\x7f]*$/;

/** Longer runs of combining marks have no use, and take quadratic time to normalize. */
const LONG_MARKS = /(\p{M}{30})\p{M}+/gu;

/**
 * A text in the one spelling in which searches compare: without differences of case, and with letters in one composition
 * and width (Unicode NFKC).
 */
export function folded(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const plain = text.replaceAll(LONG_MARKS, '$1').normalize('NFKC');
  // Only the upper case joins all forms of a letter, such as those of a sharp s; the lower case has two sigmas.
  return plain.toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');
}

/** The folded words of a search, which a job must all contain. Text in double quotes is one word. */
export function searchWords(search: string): readonly string[] {
  const words = [...folded(search).matchAll(/"([^"]*)"|[^\s"]+/g)].map(([word, quoted]) => quoted ?? word);
  return [...new Set(words.filter((word) => word.trim() !== ''))];
}

/** The words that the folded `texts` or the id contain. */
export function wordsIn(words: readonly string[], { texts, id }: { texts: string; id: string }): readonly string[] {
  return words.filter((word) => texts.includes(word) || (word.length >= ID_WORD_LENGTH && id.includes(word)));
}
