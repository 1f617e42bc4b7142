const ESCAPE = '\u001b';
/** Colours and cursor movements (CSI), titles and links (OSC), the short ones, and character sets. */
const SEQUENCES = new RegExp(
  `${ESCAPE}\\[[0-?]*[ -/]*[@-~]|${ESCAPE}\\][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)|${ESCAPE}[@-Z\\\\^_=>78a-z]|${ESCAPE}[ -/]+[0-~]`,
  'g',
);
/** A sequence that is cut off at the end of a piece. A longer title is not a sequence. */
const BEGUN = new RegExp(`${ESCAPE}(?:\\[[0-?]*[ -/]*|\\][^\\u0007${ESCAPE}]{0,200}${ESCAPE}?|[ -/]*)$`);

/** Removes terminal sequences from a text that arrives in pieces. An overwritten line becomes several. */
export function createColourStripper(): (piece: string) => string {
  let held = '';
  return (piece) => {
    const text = (held + piece).replaceAll(SEQUENCES, '');
    held = BEGUN.exec(text)?.[0] ?? '';
    return text.slice(0, text.length - held.length).replaceAll(/\r+\n?/g, '\n');
  };
}
