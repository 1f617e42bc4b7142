/** Maximum length of a line that is kept whole (characters). Lines of codex reached 1.2 MB. */
export const MAX_LINE = 8 * 1024 * 1024;

/** A piece of an agent's stdout, split anywhere. */
export interface OutputPiece {
  readonly text: string;
  /** The byte of stdout at which it begins. */
  readonly offset: number;
  /** When it was written, epoch milliseconds, if that is known. */
  readonly at?: number | undefined;
}

/** @param offset the byte of stdout at which the line begins */
type OnLine = (text: string, offset: number, at: number | undefined) => void;

/** Splits output into lines. */
interface LineReader {
  push(piece: OutputPiece): void;
  /** Passes on a last line that has no end. */
  flush(): void;
}

/** @param fromMiddle whether the text begins inside a line, which is then skipped */
export function createLineReader(onLine: OnLine, fromMiddle = false): LineReader {
  let parts: string[] = [];
  let length = 0;
  let lineStart: number | undefined;
  let skipping = fromMiddle;

  const end = (offset: number, at: number | undefined) => {
    const text = parts.join('');
    parts = [];
    length = 0;
    lineStart = undefined;
    if (!skipping) onLine(text, offset, at);
    skipping = false;
  };

  return {
    push({ text, offset, at }) {
      let start = 0;
      // Only lines are measured in bytes, because measuring is slow. Every piece has its exact offset.
      let byte = offset;
      for (let feed = text.indexOf('\n'); feed >= 0; feed = text.indexOf('\n', start)) {
        const part = text.slice(start, feed + 1);
        parts.push(part.slice(0, -1));
        end(lineStart ?? byte, at);
        byte += ENCODER.encode(part).length;
        start = feed + 1;
      }
      const rest = text.slice(start);
      if (rest === '') return;
      lineStart ??= byte;
      length += rest.length;
      // A line that is too long to be an event is not buffered to its end.
      if (length <= MAX_LINE + 1) parts.push(rest);
    },
    flush() {
      if (parts.length > 0) end(lineStart ?? 0, undefined);
    },
  };
}

const ENCODER = new TextEncoder();
