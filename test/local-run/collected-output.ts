import { Writable } from 'node:stream';

/** A stream, and all that was written to it so far. */
export function collectedOutput() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, written) {
      chunks.push(chunk);
      written();
    },
  });
  const bytes = () => Buffer.concat(chunks);
  return { stream, bytes, collected: () => bytes().toString() };
}
