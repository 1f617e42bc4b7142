/** Characters of a word from which on it is looked for in ids too: shorter ones occur in random ids by chance. */
const ID_WORD_LENGTH = 6;

/** A row that lies beside a job: whose, at which address, and the words of a search that it contains. */
export interface MatchedRow {
  readonly id: string;
  readonly address: string;
  readonly found: readonly string[];
}

/** What a job has to contain, each anywhere: the lower-cased words of a search. Text in double quotes is one of them. */
export function searchWords(search: string): readonly string[] {
  const words = [...search.toLowerCase().matchAll(/"([^"]*)"|[^\s"]+/g)].map(([word, quoted]) => quoted ?? word);
  return [...new Set(words.filter((word) => word.trim() !== ''))];
}

/** The words that lower-cased `texts` or the id contain. */
export function wordsIn(words: readonly string[], { texts, id }: { texts: string; id: string }): readonly string[] {
  return words.filter((word) => texts.includes(word) || (word.length >= ID_WORD_LENGTH && id.includes(word)));
}
