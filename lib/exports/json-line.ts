/** Characters that some readers of lines take for the end of one. In JSON their escapes mean the same. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g;

/** A row as a line of JSON Lines. */
export function jsonLine(row: object): string {
  return `${JSON.stringify(row).replaceAll(LINE_ENDS, escaped)}\n`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
