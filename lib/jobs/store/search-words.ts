/** Shortest word that is also searched in ids: shorter ones occur in random ids by chance. */
const ID_WORD_LENGTH = 6;

/** A row stored beside a job: the job, the row's address, and the words of a search that it contains. */
export interface MatchedRow {
  readonly id: string;
  readonly address: string;
  readonly found: readonly string[];
}

/** The lower-cased words of a search, which a job must all contain. Text in double quotes is one word. */
export function searchWords(search: string): readonly string[] {
  const words = [...search.toLowerCase().matchAll(/"([^"]*)"|[^\s"]+/g)].map(([word, quoted]) => quoted ?? word);
  return [...new Set(words.filter((word) => word.trim() !== ''))];
}

/** The words that the lower-cased `texts` or the id contain. */
export function wordsIn(words: readonly string[], { texts, id }: { texts: string; id: string }): readonly string[] {
  return words.filter((word) => texts.includes(word) || (word.length >= ID_WORD_LENGTH && id.includes(word)));
}
