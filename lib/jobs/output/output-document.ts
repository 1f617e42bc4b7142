import { Readable } from 'node:stream';
import { STREAMS, type StreamName } from '../receipts/receipt.ts';
import type { OutputSource } from './output-source.ts';
import { textFrom } from './output-text.ts';

/** Texts of an answer by stream; a missing stream has no member in the answer. */
type OutputTexts = Readonly<Partial<Record<StreamName, AsyncIterable<string>>>>;

/** Members of a JSON object. */
type Members = Readonly<Record<string, unknown>>;

/** Most bytes that one byte of output can take in JSON: a control character is written as `\u0000`. */
const LARGEST_ESCAPE = 6;

/**
 * One JSON object, written while it is read: the members of `meta`, then the texts, then what `after` returns once the
 * texts have been written (values known only then). Uses constant memory; fails midway if a text does.
 */
export function documentStream(meta: Members, texts: OutputTexts, after: () => Members = () => ({})): Readable {
  return Readable.from(documentParts(meta, texts, after), { objectMode: false });
}

/** Whether these streams as JSON text would exceed `limit` bytes. Reads them only if their sizes don't decide it. */
export async function exceedsAsJson(sources: readonly OutputSource[], limit: number): Promise<boolean> {
  const size = sources.reduce((sum, source) => sum + source.size, 0);
  if (size * LARGEST_ESCAPE <= limit) return false;
  if (size > limit) return true;
  let bytes = 0;
  for (const source of sources) {
    for await (const piece of textFrom(source, { offset: 0, ended: true }).pieces) {
      bytes += Buffer.byteLength(escaped(piece));
      if (bytes > limit) return true;
    }
  }
  return false;
}

async function* documentParts(meta: Members, texts: OutputTexts, after: () => Members): AsyncGenerator<string> {
  const head = JSON.stringify(meta).slice(0, -1);
  yield head;
  let separator = head === '{' ? '' : ',';
  for (const stream of STREAMS) {
    const text = texts[stream];
    if (text === undefined) continue;
    yield `${separator}"${stream}":"`;
    for await (const piece of text) if (piece !== '') yield escaped(piece);
    yield '"';
    separator = ',';
  }
  const tail = JSON.stringify(after()).slice(1);
  yield tail === '}' ? tail : separator + tail;
}

/**
 * A text as it appears between the quotes of a JSON string. Pieces can be escaped one by one: none splits a character.
 */
function escaped(piece: string): string {
  return JSON.stringify(piece).slice(1, -1);
}
