import type { Readable } from 'node:stream';

/**
 * What a process writes, until the end of the stream or until it is destroyed. A process under an account may have
 * others beside it that write to the same pipe, and keep it open.
 * @throws Error if it is more than `most` bytes
 */
export async function readAtMost(most: number, stream: Readable): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const parts: Buffer[] = [];
  let length = 0;
  stream.on('data', (part: Buffer) => {
    length += part.length;
    if (length > most) stream.destroy(new Error(`the process wrote more than ${most} bytes`));
    else parts.push(part);
  });
  stream.once('error', reject).once('end', resolve).once('close', resolve);
  await promise;
  return Buffer.concat(parts);
}
