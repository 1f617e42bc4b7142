import { expect, it } from 'vitest';
import { searchWords, wordsIn } from '../../../../lib/jobs/store/search-words.ts';

it.each([
  ['Two words', ['two', 'words']],
  ['"one Phrase" more', ['one phrase', 'more']],
  ['same same', ['same']],
  ['  \t ', []],
  ['"" "  " a', ['a']],
  ['open" quote', ['open', 'quote']],
])('the words of %j', (search, words) => {
  expect(searchWords(search)).toEqual(words);
});

it('words of six characters are looked for in the id too', () => {
  const row = { texts: 'a prompt', id: 'job_012345' };
  expect(wordsIn(['prompt', '012345', '01234', 'absent'], row)).toEqual(['prompt', '012345']);
});
