import fc from 'fast-check';
import { expect, it } from 'vitest';
import { composeTemplate } from '../../../../lib/contract/templates/compose-template.ts';
import { textOfValue } from '../../../../lib/contract/templates/parameter-values.ts';
import { amount } from '../../../vitest/amount.ts';

const NAMES = ['a', 'b', 'name_2', 'long_name_of_a_parameter'];

/** Texts that a value and a template may both have. */
const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => text.isWellFormed() && !text.includes('\0')),
  fc
    .array(
      fc.constantFrom(
        '{{',
        '}}',
        '{',
        '}',
        '{{a}}',
        '{{ b }}',
        '{{"{{"}}',
        '"',
        '$&',
        '$1',
        '$$',
        '\\',
        '`',
        '$(id)',
        '\n',
        ' ',
      ),
      {
        maxLength: 8,
      },
    )
    .map((parts) => parts.join('')),
);

/** A text of a template: literal texts, as they are written in one, between placeholders. */
const literal = hostileText.map((text) => {
  // Its braces may meet those of the placeholder beside it.
  const plain = text.replaceAll(/\{+$/g, '').replaceAll(/^\}+/g, '');
  return { source: plain.replaceAll('{{', '{{"{{"}}'), plain };
});
const placeholder = fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom('', ' ', '\t  '), fc.constantFrom('', ' '));
const text = fc.tuple(literal, fc.array(fc.tuple(placeholder, literal), { maxLength: 6 }));

const anyValue = fc.oneof(
  hostileText.map((value) => ({ type: 'text' as const, value })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ type: 'number' as const, value })),
  fc.boolean().map((value) => ({ type: 'boolean' as const, value })),
);

it('puts each value in verbatim, once for each placeholder, and changes nothing else', () => {
  let placed = 0;
  fc.assert(
    fc.property(text, fc.tuple(...NAMES.map(() => anyValue)), ([first, rest], values) => {
      const parameters = NAMES.map((name, at) => ({ name, type: values[at]?.type ?? ('text' as const) }));
      const given = Object.fromEntries(NAMES.map((name, at) => [name, values[at]?.value]));
      const source = [
        first.source,
        ...rest.map(([[name, left, right], { source: after }]) => `{{${left}${name}${right}}}${after}`),
      ];
      const expected = [
        first.plain,
        ...rest.map(([[name], { plain }]) => `${textOfValue(values[NAMES.indexOf(name)]?.value ?? '')}${plain}`),
      ];
      placed += rest.length;
      const made = composeTemplate({ prompt: source.join(''), parameters }, given);
      expect('texts' in made && made.texts.prompt).toBe(expected.join(''));
    }),
    { numRuns: amount(10_000, 100_000) },
  );
  expect(placed).toBeGreaterThan(10_000);
});

it('gives the values of members that every object has', () => {
  const parameters = ['constructor', 'to_string', 'valueof'].map((name) => ({ name, type: 'string' as const }));
  const made = composeTemplate({ prompt: '{{constructor}}', parameters }, { valueof: 'x', to_string: 'y' });
  expect(made).toEqual({
    problems: [{ fields: ['parameters.constructor'], problem: expect.stringContaining('is missing') }],
  });
});

it('refuses values that make a prompt beyond the limit before it is made', () => {
  const prompt = '{{a}}'.repeat(9_000);
  const made = composeTemplate({ prompt, parameters: [{ name: 'a', type: 'text' }] }, { a: 'x'.repeat(20_000) });
  expect(made).toEqual({
    problems: [{ fields: ['parameters'], problem: expect.stringContaining('a prompt of 180000000 characters') }],
  });
});
