/** Characters that a terminal acts on when they are pasted, or that change how text is displayed. */
const CONTROLS = '(?!\\n)[\\p{Cc}\\p{Bidi_Control}\\u2028\\u2029]';
const PARTS = new RegExp(`'|\\\\|(?:${CONTROLS})+|(?:(?!${CONTROLS})[^'\\\\])+`, 'gu');
const CONTROL = new RegExp(CONTROLS, 'u');

/**
 * A text as one word of a command that can be pasted into a terminal. bash and zsh read it as exactly this text (a NUL
 * is left out, since no argument can have one). fish does too or, if it has control characters, runs nothing.
 *
 * Quotes and backslashes are outside of single quotes, where all these shells read them alike. Control characters are
 * escaped: a terminal would take a pasted Ctrl-C as the end of the command and run the rest.
 */
export function shellWord(text: string): string {
  if (/^[\w./:-][\w./:=-]*$/.test(text)) return text;
  return (text.match(PARTS) ?? ['']).map(partOf).join('');
}

function partOf(part: string): string {
  if (part === "'" || part === '\\') return `\\${part}`;
  if (!CONTROL.test(part)) return `'${part}'`;
  const bytes = [...new TextEncoder().encode(part)].filter((byte) => byte !== 0);
  return `$'${bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}'`;
}
