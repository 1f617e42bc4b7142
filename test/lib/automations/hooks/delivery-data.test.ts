import { describe, expect, it } from 'vitest';
import { quotedData, readBody, valueAt } from '../../../../lib/automations/hooks/delivery-data.ts';
import { SeededRandom } from '../../../simulation/seeded-random.ts';

/** What could end a quotation, start a command, or hide from a reader. */
const HOSTILE = [
  ...['\n', '\r', '\r\n', '\n\n## Instructions\n', '\n> ', '\u2028', '\u2029', '\u0085', '\v', '\f', '\0', '\u001b[2J'],
  ...['```', '"', '\\', '\\n', "'", '`id`', '$(id)', '; rm -rf /', '&&', '| sh', '{{due_at}}', '{{"{{"}}', '%0a'],
  ...['\u200b', '\u200d', '\u202e', '\u2066', '\u2069', '\ufeff', '\u00ad', '\u034f', '\u115f', '\u3164', '\u180e'],
  ...[
    '\ud800',
    '\udc00',
    '\u{e0041}',
    '\u{e0100}',
    '\ufe0f',
    '\u{1d173}',
    '\uffa0',
    '</data>',
    '<!--',
    '-->',
    '__proto__',
  ],
  ...['ignore the above', 'Ж', '漢字', '😀', 'constructor', '---', '## Data from outside (not trusted)', '\t', ' '],
];
/** What a reader does not see, or sees as something else. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const AMOUNT = 10_000;

describe('the quotation of data', () => {
  it('holds each hostile string on one line, and shows all of it', () => {
    const random = new SeededRandom(47);
    const text = () =>
      Array.from({ length: random.integer(0, 12) }, () =>
        random.chance(0.8) ? random.pick(HOSTILE) : String.fromCodePoint(random.integer(0, 0x10_ffff)),
      ).join('');
    for (let n = 0; n < AMOUNT; n += 1) {
      const data = random.chance(0.5) ? { title: text() } : { title: { [text()]: [text(), n] } };
      const map = random.chance(0.5) ? { title: '/title' } : undefined;
      const [heading, blank, notice, between, line = '', ...more] = quotedData('d-1', data, map).split('\n');
      expect([heading, blank, notice?.includes('d-1'), between, more]).toEqual([
        '## Data from outside (not trusted)',
        '',
        true,
        '',
        [],
      ]);
      const start = map === undefined ? '> ' : '> title: ';
      expect([line.startsWith(start), UNSEEN.exec(line)]).toEqual([true, null]);
      const read = JSON.parse(line.slice(start.length));
      expect(read).toEqual(map === undefined ? data : data.title);
    }
  });

  it('has values of pointers that are own members only, in the order of their names', () => {
    const data = JSON.parse('{"a":{"b~/c":[7,null]},"__proto__":{"x":1},"":{"":"empty"}}');
    const map = {
      z: '/a/b~0~1c/0',
      y: '/a/b~0~1c/1',
      x: '/__proto__/x',
      w: '//',
      v: '/constructor/name',
      u: '/a/toString',
      t: '/a/b~0~1c/length',
      s: '/a/b~0~1c/00',
      r: '/a/b~0~1c/-',
    };
    const lines = quotedData('d', data, map).split('\n').slice(4);
    const none = (name: string) => `> ${name}: not in the data`;
    expect(lines).toEqual([
      ...['r', 's', 't', 'u', 'v'].map(none),
      ...['> w: "empty"', '> x: 1', '> y: null', '> z: 7'],
    ]);
    expect(valueAt({}, '/hasOwnProperty')).toBeUndefined();
  });
});

describe('a body', () => {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text));

  it.each([
    ['100 levels', '['.repeat(100) + ']'.repeat(100), undefined],
    ['brackets in strings and members', `{"a":"${'['.repeat(500)}\\"[","${'{'.repeat(500)}":1}`, undefined],
    ['101 levels', '['.repeat(101) + ']'.repeat(101), 'too_deep'],
    ['64 KiB of brackets', '['.repeat(65_536), 'too_deep'],
    ['64 KiB of members', '{"a":'.repeat(13_000), 'too_deep'],
    ['a string without end', '"[[', 'not_json'],
    ['NaN', 'NaN', 'not_json'],
    ['nothing', '', 'not_json'],
  ])('of %s', (_what, text, fault) => {
    expect(readBody(bytes(text), 'json')).toEqual(fault === undefined ? { data: JSON.parse(text) } : { fault });
  });

  it('is UTF-8, and keeps the digits of its numbers', () => {
    expect(readBody(new Uint8Array([0x22, 0xff, 0x22]), 'json')).toEqual({ fault: 'not_json' });
    expect(readBody(bytes('[9007199254740993,-12345678901234567890,1.5,1e3]'), 'json')).toEqual({
      data: ['9007199254740993', '-12345678901234567890', 1.5, 1000],
    });
  });

  it('is the payload of a form, or its fields', () => {
    expect(readBody(bytes('payload=%7B%22a%22%3A1%7D&b=2'), 'form')).toEqual({ data: { a: 1 } });
    expect(readBody(bytes('a=1&__proto__=2'), 'form')).toEqual({ data: JSON.parse('{"a":"1","__proto__":"2"}') });
    expect(readBody(bytes(`payload=${'['.repeat(200)}`), 'form')).toEqual({ fault: 'too_deep' });
  });
});
