import { expect, test } from 'vitest';
import { parseHtml } from '../../../../lib/local/stand-ins/telegram/parse-html.ts';

test('tags become entities that count UTF-16 units, and escapes become characters', () => {
  expect(
    parseHtml('🙂 <b>a &lt;&amp;&gt; <i>é</i></b> <a href="https://x.test/?a=1&amp;b=2">link</a> &#33;&nbsp;'),
  ).toEqual({
    text: '🙂 a <&> é link !&nbsp;',
    entities: [
      { type: 'bold', offset: 3, length: 7 },
      { type: 'italic', offset: 9, length: 1 },
      { type: 'text_link', offset: 11, length: 4, url: 'https://x.test/?a=1&b=2' },
    ],
  });
});

test.for([
  ['a <script>x</script>', 'Unsupported start tag "script" at byte offset 2'],
  ['é <<', 'Unsupported start tag "" at byte offset 3'],
  ['<b>x', `Can't find end tag corresponding to start tag "b"`],
  ['<b><i>x</b></i>', 'Unmatched end tag at byte offset 7, expected "</i>", found "</b>"'],
  ['x</b>', 'Unexpected end tag at byte offset 1'],
  ['<b', 'Unclosed start tag at byte offset 0'],
])('%s is refused: %s', ([html, error]) => {
  expect(() => parseHtml(html as string)).toThrow(error);
});
