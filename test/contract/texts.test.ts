import { expect, it } from 'vitest';
import { composePrompt, promptLength } from '../../lib/contract/compose-prompt.ts';
import { isLegible, quoted } from '../../lib/contract/input/legible.ts';
import { viewLimits } from '../../lib/contract/limits-view.ts';
import { refusedKindOf, whyRefused } from '../../lib/contract/profile-variables.ts';

it('a prompt follows the rules and precedes the extra prompt, empty parts left out', () => {
  expect(composePrompt(['one', '', 'two'], { prompt: 'do it', extra_prompt: 'well' })).toBe(
    'one\n\ntwo\n\ndo it\n\nwell',
  );
  expect(composePrompt([], { prompt: 'do it' })).toBe('do it');
});

it('the length of a prompt is that of its characters', () => {
  expect(promptLength('')).toBe(0);
  expect(promptLength('aé\0日')).toBe(4);
  expect(promptLength('😀\uffff😀')).toBe(3);
});

it('limits are shown in both spellings, inner ones too', () => {
  expect(viewLimits({ a: 1, longName: { innerName: 2 } })).toEqual({
    a: 1,
    longName: { innerName: 2, inner_name: 2 },
    long_name: { innerName: 2, inner_name: 2 },
  });
  expect(viewLimits({ none: null })).toEqual({ none: null });
});

it.each([
  ['PROMPTQ_X', 'service'],
  ['AWS_REGION', 'service'],
  ['LD_PRELOAD', 'loader'],
  ['GCONV_PATH', 'loader'],
  ['GCONV_PATHS', undefined],
  ['BASH_ENV', 'interpreter'],
  ['PERL5LIB', 'interpreter'],
  ['PYTHONPATH', undefined],
  ['PROMPTQ', undefined],
  ['MY_LD_', undefined],
])('a profile that sets %s', (name, kind) => {
  expect(refusedKindOf(name)).toBe(kind);
  expect(whyRefused(name) === undefined).toBe(kind === undefined);
});

it.each([
  ['plain text', true],
  ['日本 😀 👨‍👩‍👧 ❤️ 1️⃣ می‌خواهم', true],
  ['line\nbreak', false],
  ['a\u200db', false],
  ['a\ufe0fb', false],
  ['right\u202eleft', false],
  ['half \ud800', false],
])('%j is legible: %s', (text, legible) => {
  expect(isLegible(text)).toBe(legible);
});

it('a quoted value shows what is hidden', () => {
  expect(quoted('a\u202eb"')).toBe('"a\\u202eb\\""');
  expect(quoted('\u{e0001}')).toBe('"\\udb40\\udc01"');
  expect(quoted({ a: [1] })).toBe('{"a":[1]}');
  expect(quoted(undefined)).toBe('undefined');
});
