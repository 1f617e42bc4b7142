/** Maximum characters shown per line. A minified file can have millions in one. */
const MAX_LINE_LENGTH = 2_000;
/** Control and format characters. Some reorder or hide surrounding text, so that code looks like different code. */
const INVISIBLE = /(?!\t)[\p{Cc}\p{Cf}]/gu;

/** A line with invisible characters escaped, such as `⟨U+202E⟩`, and truncated if it is very long. */
export function visibleText(text: string): string {
  const shown = text.slice(0, MAX_LINE_LENGTH).replaceAll(INVISIBLE, (character) => {
    if (character === '\r') return '␍';
    return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
  const hidden = text.length - MAX_LINE_LENGTH;
  return hidden > 0 ? `${shown}… (${hidden.toLocaleString('en')} more characters)` : shown;
}
