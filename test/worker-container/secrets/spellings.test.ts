import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { isMaskedWell } from '../../../worker-container/secrets/spellings.ts';
import { amount } from '../../vitest/amount.ts';

/** How programs write a text. */
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const asciiJson = (text: string) =>
  json(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const upperJson = (text: string) =>
  json(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
const slashes = (text: string) => text.replaceAll('/', '\\/');
const htmlSafe = (text: string) =>
  json(text).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
const bytesOf = (text: string) => Buffer.from(text);
const base64 = (text: string) => bytesOf(text).toString('base64');
const broken = (text: string, columns: number) => text.replace(new RegExp(`(.{${columns}})(?=.)`, 'g'), '$1\n');
const quoted = (text: string) => encodeURIComponent(text).replaceAll('%2F', '/');

const WAYS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  JSON: json,
  'JSON in ASCII (Python)': asciiJson,
  'JSON in ASCII, upper case': upperJson,
  'JSON with escaped slashes': (text) => slashes(json(text)),
  'JSON in ASCII with escaped slashes (PHP)': (text) => slashes(asciiJson(text)),
  'JSON that is safe in HTML (Go)': htmlSafe,
  'JSON in JSON': (text) => json(json(text)),
  'JSON in ASCII in JSON': (text) => json(asciiJson(text)),
  'JSON in JSON in ASCII': (text) => asciiJson(json(text)),
  base64,
  'base64 of a line': (text) => base64(`${text}\n`),
  'base64 without padding': (text) => base64(text).replace(/=+$/, ''),
  'base64 for URLs': (text) => bytesOf(text).toString('base64url'),
  'base64 for URLs with padding': (text) => base64(text).replaceAll('+', '-').replaceAll('/', '_'),
  'base64 in lines of 76': (text) => broken(base64(text), 76),
  'base64 in lines of 64': (text) => broken(base64(text), 64),
  'base64 in lines, in JSON': (text) => json(broken(base64(`${text}\n`), 76)),
  'base64 in JSON with escaped slashes': (text) => slashes(base64(text)),
  'base64 in a URL': (text) => encodeURIComponent(base64(text)),
  'a part of a URL': encodeURIComponent,
  'a part of a URL, lower case': (text) => encodeURIComponent(text).replace(/%../g, (escaped) => escaped.toLowerCase()),
  'a part of a form': (text) => new URLSearchParams({ '': text }).toString().slice(1),
  'a part of a URL (Python)': quoted,
};

/** No secret below has a digit: what is around one can't be mistaken for a part of it. */
const SURROUNDINGS = '0123';
const character = fc.oneof(
  fc.constantFrom(...'aZ/+"\\&<\'=%?~ -_\n\té日😀\x7f\x1b'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
);
const secret = fc
  .array(character, { minLength: 6, maxLength: 90 })
  .map((characters) => characters.join('').replace(/\d|\*/g, 'x').trim().toWellFormed())
  .filter((text) => Array.from(text).length >= 6);

test.each(Object.entries(WAYS))('a secret is masked wherever the stream is cut: %s', (_name, write) => {
  const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 4 });
  fc.assert(
    fc.property(secret, cuts, (value, places) => {
      const bytes = Buffer.from(`${SURROUNDINGS}${write(value)}${SURROUNDINGS}`);
      expect(redact([value], bytes, places)).toBe(`${SURROUNDINGS}***${SURROUNDINGS}`);
    }),
    { numRuns: amount(60, 300) },
  );
});

test('of a secret in a longer base64 text the characters show that it shares with what is beside it', () => {
  const value = 'correct horse battery';
  for (const before of ['', 'u', 'us', 'user:']) {
    const whole = base64(`${before}${value}, and more`);
    const [start, end] = [Math.ceil((before.length * 4) / 3), Math.floor(((before.length + value.length) * 4) / 3)];
    const masked = `${whole.slice(0, start)}***${whole.slice(end)}`;
    expect(redact([value], Buffer.from(whole), [12])).toBe(masked);
  }
});

const KEY_LINES = ['MIIEvQIBADANBgkqhkiG9w0BAQ/FAASCBKcw', 'ggSjAgEAAoIBAQC7VJTUt9Us8cKj+MzEfYyj', 'iWA4=='];
const KEY = ['-----BEGIN PRIVATE KEY-----', ...KEY_LINES, '-----END PRIVATE KEY-----', ''].join('\n');

test('each long line of a secret of several lines is masked, its borders and short lines are not', () => {
  const [first = '', second = ''] = KEY_LINES;
  for (const write of [(text: string) => text, json, encodeURIComponent, (text: string) => slashes(json(text))])
    for (const line of [first, second])
      expect(redact([KEY], Buffer.from(`+${write(line)}\r\n`), [9, 20])).toBe('+***\r\n');
  const borders = '-----BEGIN PRIVATE KEY-----\niWA4==\n';
  expect(redact([KEY], Buffer.from(borders), [])).toBe(borders);
  expect(redact([KEY], Buffer.from(KEY), [30, 60])).toBe('***\n');
  expect(redact([KEY.replaceAll('\n', '\r\n')], Buffer.from(`${first}|${second}`), [])).toBe('***|***');
});

test('what lacks the last character of a secret passes unchanged', () => {
  const line = secret.map((value) => value.replace(/\n/g, 'x'));
  const ways = fc.constantFrom(...Object.values(WAYS));
  const cuts = fc.array(fc.nat({ max: 400 }), { maxLength: 4 });
  fc.assert(
    fc.property(line, ways, cuts, (value, write, places) => {
      const text = `${SURROUNDINGS}${write(value)}`;
      expect(redact([`${value}#`], Buffer.from(text), places)).toBe(text);
    }),
    { numRuns: amount(250, 1_000) },
  );
});

function redact(secrets: readonly string[], bytes: Buffer, cuts: readonly number[]): string {
  const redactor = new Redaction(secrets).redactor();
  const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort((a, b) => a - b);
  const pieces = places.slice(1).map((to, index) => redactor.push(bytes.subarray(places[index], to)));
  return Buffer.concat([...pieces, redactor.flush()]).toString();
}

test('a secret of few characters, or that is a plain word or number, is not masked well', () => {
  const poor = ['', 'abc12', 'postgres', 'Success', ' DEVELOPMENT\n', 'Größen', '20261128'];
  const good = ['hunter2-secret', 'sUcCeSs', 'abcdefghijklmnop', '123456789', 'pass word', 'Zx9_kq'];
  expect([poor.filter(isMaskedWell), good.filter((value) => !isMaskedWell(value))]).toEqual([[], []]);
});
