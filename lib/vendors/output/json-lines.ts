/** Takes a stream of JSON lines. Bytes may be cut anywhere, even inside a character. */
export interface JsonLines {
  push(chunk: Buffer): void;
}

/**
 * Calls `onValue` with each line that is JSON and skips all others. Keeps at most one line of `maxLineBytes` bytes
 * (without its line feed) and drops longer ones as they arrive.
 */
export function createJsonLines(onValue: (value: unknown) => void, maxLineBytes = 8 * 1024 * 1024): JsonLines {
  let parts: Buffer[] = [];
  let length = 0;

  function take(part: Buffer): void {
    length += part.length;
    if (length > maxLineBytes) parts = [];
    // A view of a pooled chunk would keep the whole chunk alive, so a part that has to wait is copied.
    else parts.push(Buffer.from(part));
  }

  function end(part: Buffer): void {
    if (length + part.length <= maxLineBytes) {
      const value = parse(parts.length === 0 ? part : Buffer.concat([...parts, part]));
      if (value !== undefined) onValue(value);
    }
    parts = [];
    length = 0;
  }

  return {
    push(chunk) {
      let start = 0;
      for (let feed = chunk.indexOf(LINE_FEED); feed >= 0; feed = chunk.indexOf(LINE_FEED, start)) {
        end(chunk.subarray(start, feed));
        start = feed + 1;
      }
      if (start < chunk.length) take(chunk.subarray(start));
    },
  };
}

/** In UTF-8 this byte is never part of another character, so lines can be split before they are decoded. */
const LINE_FEED = 0x0a;

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
}
