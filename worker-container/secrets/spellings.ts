/** A secret piece by piece, each with all ways to write it. No way is a prefix of another: at most one matches. */
export type Spelling = readonly (readonly string[])[];

/** Shorter values would mask ordinary words. */
const MIN_SECRET_LENGTH = 6;
/** Shorter lines of a secret of several lines would mask ordinary lines. */
const MIN_LINE_LENGTH = 16;
/** The line that begins or ends a PEM file, common to all of them. */
const PEM_BORDER = /^-----(BEGIN|END) [^-]*-----$/;
/** Where `base64` and `openssl` break lines. */
const BASE64_COLUMNS = [76, 64] as const;

/** All spellings of a secret. Empty for a value of fewer than 6 characters, not counting white space around it. */
export function spellingsOf(secret: string): Spelling[] {
  const value = secret.trim();
  if (lengthOf(value) < MIN_SECRET_LENGTH) return [];
  return [
    ...textSpellings(value),
    ...linesOf(value).flatMap(textSpellings),
    ...[...new Set([value, `${value}\n`, secret])].flatMap(base64Spellings),
    ...[0, 1, 2].map((offset) => innerBase64(value, offset)),
  ];
}

/** Ordinary text of a job has these too: words in one case and numbers such as a date. */
const EVERYDAY = /^(?:\p{Lu}?\p{Ll}{5,11}|\p{Lu}{6,12}|\d{6,8})$/u;

/** Whether masking can tell a secret from other text: one that is shorter is not masked, and a plain word too often. */
export function isMaskedWell(secret: string): boolean {
  const value = secret.trim();
  return lengthOf(value) >= MIN_SECRET_LENGTH && !EVERYDAY.test(value);
}

function textSpellings(text: string): Spelling[] {
  const characters = Array.from(text);
  return [[[text]], characters.map(inJson), characters.map(inNestedJson), characters.map(inUrl)];
}

function linesOf(value: string): string[] {
  const lines = value.split('\n').map((line) => line.trim());
  return lines.length === 1 ? [] : lines.filter((line) => lengthOf(line) >= MIN_LINE_LENGTH && !PEM_BORDER.test(line));
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '/': '\\/',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** Python and PHP escape non-ASCII characters, PHP also the slash, Go and .NET the characters special to HTML. */
function inJson(character: string): string[] {
  if (/^[\w !#$%()*,.:;?@[\]^{|}~-]$/.test(character)) return [character];
  const short = SHORT_ESCAPES[character];
  const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return distinct([
    ...(/[\p{Cc}"\\]/u.test(character) && character < '\x7f' ? [] : [character]),
    ...(short === undefined ? [] : [short]),
    units.map((unit) => `\\u${unit}`).join(''),
    units.map((unit) => `\\u${unit.toUpperCase()}`).join(''),
  ]);
}

/** JSON in a string of JSON: an agent's report of a command that writes JSON. */
function inNestedJson(character: string): string[] {
  return distinct(
    inJson(character).flatMap((written) =>
      lengthOf(written) === 1 ? inJson(written) : [JSON.stringify(written).slice(1, -1)],
    ),
  );
}

/** `encodeURIComponent`, `encodeURI`, forms and Python's `quote` differ in what they escape. */
function inUrl(character: string): string[] {
  if (/^[A-Za-z0-9._-]$/.test(character)) return [character];
  const bytes = [...Buffer.from(character)].map((byte) => byte.toString(16).padStart(2, '0'));
  return distinct([
    ...(character === '%' ? [] : [character]),
    ...(character === ' ' ? ['+'] : []),
    bytes.map((byte) => `%${byte}`).join(''),
    bytes.map((byte) => `%${byte.toUpperCase()}`).join(''),
  ]);
}

const IN_BASE64: Readonly<Record<string, readonly string[]>> = {
  '+': ['+', '-', '%2B', '%2b', '\\u002b', '\\u002B', '\\\\u002b', '\\\\u002B'],
  '/': ['/', '_', '%2F', '%2f', '\\/', '\\u002f', '\\u002F', '\\\\/'],
  '=': ['=', '%3D', '%3d', '\\u003d', '\\u003D', '\\\\u003d', '\\\\u003D'],
  '\n': ['\n', '\r\n', '\\n', '\\r\\n', '\\\\n', '%0A', '%0a'],
};

/** A whole text in base64: standard or URL-safe, with or without padding, on one line or several. */
function base64Spellings(text: string): Spelling[] {
  const encoded = Buffer.from(text).toString('base64');
  const broken = BASE64_COLUMNS.map((columns) => encoded.replace(new RegExp(`.{${columns}}(?=.)`, 'g'), '$&\n'));
  return [encoded.replace(/=+$/, ''), encoded, ...broken].map(inBase64);
}

/** The part of a longer text's base64 that depends only on this text, `offset` bytes after a multiple of three. */
function innerBase64(text: string, offset: number): Spelling {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text)]);
  const [from, to] = [Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6)];
  return inBase64(bytes.toString('base64').slice(from, to));
}

function inBase64(encoded: string): Spelling {
  return Array.from(encoded, (character) => IN_BASE64[character] ?? [character]);
}

function distinct(ways: readonly string[]): string[] {
  return [...new Set(ways)];
}
