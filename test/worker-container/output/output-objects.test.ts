import type { DeleteObjectsCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { s3OutputObjects } from '../../../worker-container/output/output-objects.ts';

const NEVER = new AbortController().signal;

it('objects are deleted a thousand at a time, and one that is not is an error', async () => {
  const asked: number[] = [];
  const send = async (command: DeleteObjectsCommand) => {
    const objects = command.input.Delete?.Objects ?? [];
    asked.push(objects.length);
    const refused = objects.filter(({ Key }) => Key === 'kept');
    return { Errors: refused.map(({ Key }) => ({ Key, Code: 'AccessDenied', Message: 'it is kept' })) };
  };
  const objects = s3OutputObjects({ send } as unknown as S3Client, 'outputs');
  await objects.deleteMany(Array.from({ length: 1_001 }, String), NEVER);
  expect(asked).toEqual([1_000, 1]);
  await expect(objects.deleteMany(['gone', 'kept'], NEVER)).rejects.toThrow('kept: AccessDenied it is kept');
});

it('a request of a chunk that is stored is made once, and stops with its signal', async () => {
  const stop = new AbortController();
  const asked: unknown[] = [];
  const send = async ({ input }: PutObjectCommand, { abortSignal }: { abortSignal: AbortSignal }) => {
    asked.push([input.Bucket, input.Key, String(input.Body), abortSignal.aborted]);
    stop.abort();
    asked.push(abortSignal.aborted);
  };
  await s3OutputObjects({ send } as unknown as S3Client, 'outputs').put('key', Buffer.from('chunk'), stop.signal);
  expect(asked).toEqual([['outputs', 'key', 'chunk', false], true]);
});
