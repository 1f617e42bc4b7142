/** Characters that control a terminal or change how text is displayed, but for tabs and line ends. */
const CONTROLS = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** A text in which nothing controls a terminal: agents and clients write titles, messages and output. */
export function harmless(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(CONTROLS, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : '\uFFFD';
  });
}
