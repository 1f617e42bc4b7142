import { existsSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Bucket, ObjectsUnderTest } from './objects-under-test.ts';

let objects: ObjectsUnderTest;
beforeEach(async () => {
  objects = await ObjectsUnderTest.start();
});
afterEach(async () => await objects.stop());

const ABOUT = {
  ContentType: 'text/plain',
  ContentLanguage: 'de',
  ContentDisposition: 'inline',
  CacheControl: 'no-store',
  ContentEncoding: 'identity',
};

test.each(['CRC32', 'SHA1', 'SHA256'] as const)(
  'what is known of an object is kept, with its %s',
  async (algorithm) => {
    const at = { Bucket, Key: 'a' };
    await objects.s3.send(new PutObjectCommand({ ...at, ...ABOUT, Body: 'text', ChecksumAlgorithm: algorithm }));
    await objects.restart();
    expect(objects.logged).toEqual([]);
    const checksum = { [`Checksum${algorithm}`]: expect.stringMatching(/./) };
    const asked = { ...at, ChecksumMode: 'ENABLED' } as const;
    const whole = await objects.s3.send(new GetObjectCommand(asked));
    expect(whole).toMatchObject({
      ...ABOUT,
      ...checksum,
      AcceptRanges: 'bytes',
      ETag: expect.stringMatching(/^"\w{32}"$/),
    });
    expect(await whole.Body?.transformToString()).toBe('text');
    expect(await objects.s3.send(new HeadObjectCommand(at))).toMatchObject({
      ContentType: 'text/plain',
      ContentLength: 4,
    });
    // That of the whole would not fit.
    const part = await objects.s3.send(new GetObjectCommand({ ...asked, Range: 'bytes=0-1' }));
    expect(part).not.toHaveProperty(`Checksum${algorithm}`);
    expect(await part.Body?.transformToString()).toBe('te');
    const attributes = new GetObjectAttributesCommand({ ...at, ObjectAttributes: ['ObjectSize'] });
    expect((await objects.s3.send(attributes)).ObjectSize).toBe(4);
  },
);

test('a reader that has the object already gets nothing', async () => {
  await objects.put('a', 'text');
  const { ETag } = await objects.s3.send(new HeadObjectCommand({ Bucket, Key: 'a' }));
  const again = objects.s3.send(new GetObjectCommand({ Bucket, Key: 'a', IfNoneMatch: ETag }));
  await expect(again).rejects.toMatchObject({ $metadata: { httpStatusCode: 304 } });
});

test('a part that is sent again replaces the first, and an upload that is given up leaves nothing', async () => {
  const at = { Bucket, Key: 'a' };
  const begin = async () => (await objects.s3.send(new CreateMultipartUploadCommand(at))).UploadId;
  const send = async (UploadId: string | undefined, Body: string) =>
    (await objects.s3.send(new UploadPartCommand({ ...at, UploadId, PartNumber: 1, Body }))).ETag;
  const UploadId = await begin();
  await send(UploadId, 'first');
  const ETag = await send(UploadId, 'second');
  expect((await objects.files('data')).length).toBe(1);
  const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
  await objects.s3.send(new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload }));
  expect([(await objects.read('a')).toString(), (await objects.files('data')).length]).toEqual(['second', 1]);
  const other = await begin();
  await send(other, 'third');
  expect((await objects.files('data')).length).toBe(2);
  await objects.s3.send(new AbortMultipartUploadCommand({ ...at, UploadId: other }));
  expect((await objects.files('data')).length).toBe(1);
});

test('a bucket is deleted with its folder, and what a probe of the disk left is none', async () => {
  await objects.s3.send(new CreateBucketCommand({ Bucket: 'other' }));
  expect((await stat(join(objects.folder, 'other'))).isDirectory()).toBe(true);
  await writeFile(join(objects.folder, '.probe-1'), '');
  await objects.restart();
  await objects.s3.send(new HeadBucketCommand({ Bucket: 'other' }));
  await objects.s3.send(new DeleteBucketCommand({ Bucket: 'other' }));
  expect(existsSync(join(objects.folder, 'other'))).toBe(false);
  await objects.restart();
  await expect(objects.s3.send(new HeadBucketCommand({ Bucket: 'other' }))).rejects.toMatchObject({ name: 'NotFound' });
});
