/** Characters that are invisible or change how others are displayed: controls, bidirectional controls, line separators, halves of surrogate pairs. */
const HIDDEN =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\uFFF9-\uFFFB]/gu;

/**
 * Joiners and variation selectors where scripts and emoji need them: a joiner (U+200C, U+200D) after a combining mark, in
 * a script whose letters join, or between emoji; a selector (U+FE0E, U+FE0F) after an emoji or within a keycap.
 * Elsewhere, such as between Latin letters, they are invisible and make two names look the same.
 */
const NEEDED =
  /(?<=[\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\p{scx=Arabic}\p{scx=Syriac}\p{scx=Mongolian}\p{scx=Nko}])[\u200C\u200D](?=[\p{L}\p{Extended_Pictographic}])|(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F]|(?<=[0-9#*])\uFE0F(?=\u20E3)/gu;

/** Error message of texts that are not legible. */
export const LEGIBLE = 'expected text without control, bidirectional or invisible characters';

/** Whether a text can be displayed without looking like a different text. */
export function isLegible(text: string): boolean {
  return text.replaceAll(NEEDED, '').search(HIDDEN) === -1;
}

/** A value as JSON with hidden characters escaped, so that messages can quote client input. */
export function quoted(value: unknown): string {
  return escapeHidden(json(value));
}

/** The same, but of a longer JSON only the first `most` characters, with their number. */
export function shown(value: unknown, most: number): string {
  const text = json(value);
  return text.length <= most ? escapeHidden(text) : `${escapeHidden(text.slice(0, most))}… (${text.length} characters)`;
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? typeof value;
}

function escapeHidden(text: string): string {
  return text.replaceAll(HIDDEN, escaped);
}

function escaped(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
