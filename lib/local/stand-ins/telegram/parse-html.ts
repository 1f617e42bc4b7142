/*
 * Telegram's HTML, as the Bot API reads it with `parse_mode: HTML`: a few tags, four named entities and numeric ones, and
 * an error with the offset in bytes for everything else. A text that a renderer forgot to escape fails here as it does
 * there. The words of the errors are the Bot API's.
 */

/** Offset and length count UTF-16 units. */
export interface MessageEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
}

/** A text that can't be parsed. The message is what the Bot API adds to "Bad Request: can't parse entities: ". */
export class EntityError extends Error {
  override readonly name = 'EntityError';
}

const TYPES: Readonly<Record<string, string>> = {
  ...{ a: 'text_link', b: 'bold', strong: 'bold', i: 'italic', em: 'italic', u: 'underline', ins: 'underline' },
  ...{ s: 'strikethrough', strike: 'strikethrough', del: 'strikethrough', code: 'code', pre: 'pre' },
  ...{ blockquote: 'blockquote', 'tg-spoiler': 'spoiler' },
};

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

interface OpenTag {
  readonly name: string;
  readonly type: string;
  readonly offset: number;
  readonly url: string | undefined;
}

/** @throws EntityError */
export function parseHtml(html: string): { readonly text: string; readonly entities: MessageEntity[] } {
  const open: OpenTag[] = [];
  const entities: MessageEntity[] = [];
  let text = '';
  let at = 0;
  const bytes = () => Buffer.byteLength(html.slice(0, at));
  while (at < html.length) {
    if (html[at] !== '<') {
      const next = html.slice(at).search(/<|$/);
      text += decoded(html.slice(at, at + next));
      at += next;
      continue;
    }
    const end = html.indexOf('>', at);
    const [, slash, name = '', rest = ''] = /^<(\/?)([^\s>/<]*)([^>]*)/.exec(html.slice(at)) ?? [];
    const tag = name.toLowerCase();
    if (slash === '/') {
      const last = open.pop();
      if (last === undefined) throw new EntityError(`Unexpected end tag at byte offset ${bytes()}`);
      if (tag !== last.name)
        throw new EntityError(
          `Unmatched end tag at byte offset ${bytes()}, expected "</${last.name}>", found "</${tag}>"`,
        );
      if (text.length > last.offset) entities.push(entityOf(last, text));
    } else {
      const type = TYPES[tag];
      if (type === undefined) throw new EntityError(`Unsupported start tag "${tag}" at byte offset ${bytes()}`);
      if (end < 0) throw new EntityError(`Unclosed start tag at byte offset ${bytes()}`);
      open.push({ name: tag, type, offset: text.length, url: hrefOf(rest) });
    }
    if (end < 0) throw new EntityError(`Unclosed end tag at byte offset ${bytes()}`);
    at = end + 1;
  }
  const [unclosed] = open.slice(-1);
  if (unclosed !== undefined) throw new EntityError(`Can't find end tag corresponding to start tag "${unclosed.name}"`);
  return { text, entities: entities.toSorted((one, other) => one.offset - other.offset || other.length - one.length) };
}

function entityOf({ type, offset, url }: OpenTag, text: string): MessageEntity {
  return { type, offset, length: text.length - offset, ...(type === 'text_link' && { url: url ?? '' }) };
}

function hrefOf(attributes: string): string | undefined {
  const [, quoted, bare] = /\bhref\s*=\s*(?:"([^"]*)"|([^\s"']+))/.exec(attributes) ?? [];
  const found = quoted ?? bare;
  return found === undefined ? undefined : decoded(found);
}

/** Unknown entities stay as they are. */
function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(lt|gt|amp|quot));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole;
  });
}
