/** Characters of a line that are shown; a minified file has millions in one. */
const MAX_LINE_LENGTH = 2_000;
/** Control and format characters: some reorder or hide the text around them, so that code reads as what it is not. */
const INVISIBLE = /(?!\t)[\p{Cc}\p{Cf}]/gu;

/** A line with what is invisible in it made visible, such as `⟨U+202E⟩`, and cut where it is very long. */
export function visibleText(text: string): string {
  const shown = text.slice(0, MAX_LINE_LENGTH).replaceAll(INVISIBLE, (character) => {
    if (character === '\r') return '␍';
    return `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
  const hidden = text.length - MAX_LINE_LENGTH;
  return hidden > 0 ? `${shown}… (${hidden.toLocaleString('en')} more characters)` : shown;
}
