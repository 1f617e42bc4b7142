const ESCAPE = '\u001b';
/** Colours and cursor movements (CSI), titles and links (OSC), and the short ones. */
const SEQUENCES = new RegExp(
  `${ESCAPE}\\[[0-?]*[ -/]*[@-~]|${ESCAPE}\\][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)|${ESCAPE}[@-Z\\\\^_=>78]`,
  'g',
);
/** A sequence that is cut off at the end of a piece. Longer text is not a sequence. */
const BEGUN = new RegExp(`${ESCAPE}[^\\u0007]{0,200}$`);

/** Removes terminal sequences from a text that arrives in pieces. An overwritten line becomes several. */
export function createColourStripper(): (piece: string) => string {
  let held = '';
  return (piece) => {
    const text = (held + piece).replaceAll(SEQUENCES, '');
    held = BEGUN.exec(text)?.[0] ?? '';
    return text.slice(0, text.length - held.length).replaceAll(/\r+\n?/g, '\n');
  };
}
