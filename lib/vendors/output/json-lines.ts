/** Takes a stream of JSON lines. Bytes may be cut anywhere, even inside a character. */
interface JsonLines {
  push(chunk: Buffer): void;
}

/** Which lines are read. */
interface LineChoice {
  /** A longer line, without its line feed, is dropped as it arrives. */
  readonly maxLineBytes?: number | undefined;
  /** A line with none of these is skipped unread: to parse it costs many times as much. Default: all are read. */
  readonly mentioning?: readonly string[] | undefined;
}

/** Bytes of a line that an agent writes about itself. Sessions are read side by side where memory is little. */
export const MOST_OF_A_RECORD: number = 1024 * 1024;

/** Calls `onValue` with each line that is a JSON object and skips all others. Keeps at most one line. */
export function createJsonLines(
  onValue: (value: unknown) => void,
  { maxLineBytes = 8 * 1024 * 1024, mentioning }: LineChoice = {},
): JsonLines {
  const wanted = mentioning?.map((text) => Buffer.from(text));
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
      const line = parts.length === 0 ? part : Buffer.concat([...parts, part]);
      const isRead = isBraced(line) && wanted?.some((text) => line.includes(text)) !== false;
      const value = isRead ? parse(line) : undefined;
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

/** A failed parse costs ten microseconds, and output can be a line a byte. */
function isBraced(line: Buffer): boolean {
  let [first, last] = [0, line.length - 1];
  while (isBlank(line[first])) first += 1;
  while (last > first && isBlank(line[last])) last -= 1;
  return line[first] === 0x7b && line[last] === 0x7d;
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

function parse(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
}
