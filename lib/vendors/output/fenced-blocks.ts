import type { MessageReader } from './agent-output.ts';

/** A fenced code block of a message; `fault`: why it has no body. */
export type FencedBlock = { readonly body: string } | { readonly fault: 'too_long' | 'not_closed' };

interface FencedBlocksOptions {
  /** Only blocks with exactly this info string are passed on. All others are skipped, whatever they contain. */
  readonly info: string;
  /** Longest body in UTF-8 bytes. */
  readonly maxBytes: number;
  readonly onBlock: (block: FencedBlock) => void;
}

/** A longer line is no fence. */
const MAX_FENCE_LENGTH = 64 * 1024;

/** As in Markdown: at most three spaces before it; an info string after backticks contains no backtick. */
const OPENING = /^ {0,3}(?:(?<ticks>`{3,})(?<tickInfo>[^`]*)|(?<tildes>~{3,})(?<tildeInfo>.*))$/s;

interface OpenBlock {
  readonly fence: string;
  /** Undefined: not a requested block. */
  readonly body: Body | undefined;
}

interface Body {
  parts: string[];
  bytes: number;
  tooLong: boolean;
}

/**
 * Finds fenced code blocks (CommonMark: backticks or tildes, three or more, closed by at least as many alone on a line)
 * in messages that arrive in parts cut anywhere. Pure; needs memory for at most one block. An unclosed block ends with
 * its message.
 */
export function createFencedBlocks({ info, maxBytes, onBlock }: FencedBlocksOptions): MessageReader {
  let open: OpenBlock | undefined;
  let line = '';
  /** The line is too long for a fence: its beginning has been handled. */
  let isText = false;

  function keep(text: string): void {
    const body = open?.body;
    if (body === undefined || body.tooLong) return;
    body.bytes += Buffer.byteLength(text);
    if (body.bytes > maxBytes) Object.assign(body, { tooLong: true, parts: [] });
    else body.parts.push(text);
  }

  function close(isClosed: boolean): void {
    const body = open?.body;
    open = undefined;
    if (body === undefined) return;
    if (body.tooLong) onBlock({ fault: 'too_long' });
    else if (!isClosed) onBlock({ fault: 'not_closed' });
    else onBlock({ body: body.parts.join('') });
  }

  function endLine(): void {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    line = '';
    if (isText) {
      isText = false;
      keep(`${text}\n`);
    } else if (open === undefined) {
      open = opened(text);
    } else if (closes(text, open.fence)) {
      close(true);
    } else {
      keep(`${text}\n`);
    }
  }

  function opened(text: string): OpenBlock | undefined {
    const found = OPENING.exec(text)?.groups;
    const fence = found?.ticks ?? found?.tildes;
    if (fence === undefined) return undefined;
    const isWanted = (found?.tickInfo ?? found?.tildeInfo ?? '').trim() === info;
    return { fence, body: isWanted ? { parts: [], bytes: 0, tooLong: false } : undefined };
  }

  return {
    push(text) {
      let start = 0;
      for (let feed = text.indexOf('\n'); feed >= 0; feed = text.indexOf('\n', start)) {
        line += text.slice(start, feed);
        endLine();
        start = feed + 1;
      }
      line += text.slice(start);
      if (line.length <= MAX_FENCE_LENGTH) return;
      isText = true;
      keep(line);
      line = '';
    },
    end() {
      if (line !== '' || isText) endLine();
      close(false);
    },
  };
}

function closes(text: string, fence: string): boolean {
  const run = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(text)?.[1];
  return run !== undefined && run[0] === fence[0] && run.length >= fence.length;
}
