import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';

test('a secret is masked wherever the stream is cut', () => {
  const text = 'before sk-0123456789 after';
  for (let cut = 0; cut <= text.length; cut++) {
    expect(redact(['sk-0123456789'], [text.slice(0, cut), text.slice(cut)])).toBe('before *** after');
  }
});

test('every secret is masked whole, in any cut, overlapping ones as one', () => {
  const letter = fc.constantFrom('a', 'b');
  const secrets = fc.array(fc.string({ unit: letter, minLength: 6, maxLength: 8 }), { minLength: 1, maxLength: 4 });
  const pieces = fc.array(fc.string({ unit: letter, maxLength: 25 }), { maxLength: 8 });
  fc.assert(
    fc.property(secrets, pieces, (values, parts) => {
      expect(redact(values, parts)).toBe(maskedByDefinition(values, parts.join('')));
    }),
    { numRuns: 2_000 },
  );
});

test('every secret that repeats itself is masked whole, in any cut', () => {
  const unit = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 3 });
  const run = fc.tuple(unit, fc.nat({ max: 300 })).map(([part, length]) => part.repeat(length).slice(0, length));
  const secret = fc
    .array(run, { minLength: 1, maxLength: 3 })
    .map((runs) => runs.join(''))
    .filter(({ length }) => length >= 6);
  const pieces = fc.array(fc.oneof(run, secret), { maxLength: 6 });
  fc.assert(
    fc.property(fc.array(secret, { minLength: 1, maxLength: 3 }), pieces, (values, parts) => {
      const all = [...parts, ...values, ...parts];
      expect(redact(values, all)).toBe(maskedByDefinition(values, all.join('')));
    }),
    { numRuns: 200 },
  );
});

test('a long secret of one character is masked in a long run of it, and one more that ends otherwise is not', () => {
  const run = 'a'.repeat(262_144);
  expect(redact(['a'.repeat(16_384)], [run, 'b', run.slice(0, 16_383)])).toBe(`***b${run.slice(0, 16_383)}`);
  expect(redact([`${'a'.repeat(16_383)}b`], [run, 'c'])).toBe(`${run}c`);
});

test('bytes that are no text pass unchanged', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), (pieces) => {
      const redactor = new Redaction(['a secret that is not there']).redactor();
      const output = Buffer.concat([...pieces.map((piece) => redactor.push(Buffer.from(piece))), redactor.flush()]);
      expect(output.equals(Buffer.concat(pieces))).toBe(true);
    }),
  );
});

test('only what may be a secret is held back', () => {
  const redactor = new Redaction(['sk-0123456789']).redactor();
  expect(redactor.push(Buffer.from('password: sk-012')).toString()).toBe('password: ');
  expect(redactor.push(Buffer.from('x')).toString()).toBe('sk-012x');
  expect(redactor.push(Buffer.from('sk-012345678')).toString()).toBe('');
  expect(redactor.flush().toString()).toBe('sk-012345678');
});

test('values of fewer than six characters are ignored', () => {
  expect(redact(['12345', '      ', ''], ['12345 is no secret'])).toBe('12345 is no secret');
  expect(redact(['123456'], ['123456 is one'])).toBe('*** is one');
});

test('a secret is masked in its JSON form too', () => {
  const key = '-----BEGIN "KEY"-----\nabc\n-----END-----\n';
  expect(redact([key], [JSON.stringify({ key })])).toBe('{"key":"***\\n"}');
  expect(redact([key], [key])).toBe('***\n');
});

function redact(secrets: string[], pieces: string[]): string {
  const redactor = new Redaction(secrets).redactor();
  return [...pieces.map((piece) => redactor.push(Buffer.from(piece))), redactor.flush()].join('');
}

/** Marks every character that any occurrence covers; each run of overlapping occurrences is one mask. */
function maskedByDefinition(secrets: string[], text: string): string {
  let masked = '';
  let covered = 0;
  for (let at = 0; at < text.length; at++) {
    for (const secret of secrets) {
      if (!text.startsWith(secret, at)) continue;
      if (at >= covered) masked += '***';
      covered = Math.max(covered, at + secret.length);
    }
    if (at >= covered) masked += text[at];
  }
  return masked;
}
