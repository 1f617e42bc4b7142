import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { LIMITS } from '../contract/limits.ts';

const SILENCE_MS = LIMITS.stream.silenceSeconds * 1000;

/**
 * The JSON text of work that may take minutes. White space, which JSON allows before a value, shows in the meantime that
 * the work continues. An error before the first white space is thrown to the reader as usual; a later one cuts the
 * response, whose status has been sent, and what came of it is no JSON.
 */
export function keptAlive(work: Promise<string>, silenceMs: number = SILENCE_MS): Readable {
  return Readable.from(pieces(work, silenceMs), { objectMode: false });
}

async function* pieces(work: Promise<string>, silenceMs: number): AsyncGenerator<string> {
  const done = work.then((text) => ({ text }));
  let result: Awaited<typeof done> | undefined;
  while (result === undefined) {
    const waiting = new AbortController();
    const silence = setTimeout(silenceMs, undefined, { signal: waiting.signal });
    result = await Promise.race([done, silence]).finally(() => waiting.abort());
    yield result?.text ?? '\n';
  }
}
