import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isLongRun } from '../../../vitest/amount.ts';
import { Bucket, MIB, ObjectsUnderTest } from './objects-under-test.ts';

// Memory that nothing refers to does not count, however late it is collected.
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Of the large object, of 5 MiB each, and how many come between two looks at the memory. */
const [PARTS, PARTS_BETWEEN] = [20, 4];

let objects: ObjectsUnderTest;

beforeEach(async () => {
  objects = await ObjectsUnderTest.start();
});

afterEach(async () => await objects.stop());

describe('objects', () => {
  test('come back with bytes, type and metadata, whatever their key', async () => {
    const Key = 'jobs/a b/ü?%2F#+.json';
    await objects.s3.send(
      new PutObjectCommand({ Bucket, Key, Body: '{"ü":1}', ContentType: 'application/json', Metadata: { note: 'x' } }),
    );
    const object = await objects.s3.send(new GetObjectCommand({ Bucket, Key }));
    expect(await object.Body?.transformToString()).toBe('{"ü":1}');
    expect([object.ContentType, object.Metadata, object.ContentLength]).toEqual(['application/json', { note: 'x' }, 8]);
  });

  test('an empty object has no bytes', async () => {
    await objects.put('empty', Buffer.alloc(0));
    expect((await objects.read('empty')).length).toBe(0);
  });

  test('survive a restart, and what was replaced or deleted stays so', async () => {
    await objects.put('kept', 'one');
    await objects.put('replaced', 'old');
    await objects.put('replaced', 'new text');
    await objects.put('deleted', 'x');
    await objects.s3.send(new DeleteObjectCommand({ Bucket, Key: 'deleted' }));
    await objects.restart();
    expect(await objects.keys()).toEqual(['kept', 'replaced']);
    expect((await objects.read('replaced')).toString()).toBe('new text');
    expect((await objects.s3.send(new HeadObjectCommand({ Bucket, Key: 'replaced' }))).ContentLength).toBe(8);
  });

  test('a put that was cut by the end of the process leaves the object as it was', async () => {
    await objects.put('kept', 'one');
    const [record = ''] = await objects.files('records');
    await writeFile(join(objects.folder, Bucket, 'records', `${record}.new`), '{"key":"ke');
    await writeFile(join(objects.folder, Bucket, 'data', 'half-written'), 'x');
    await objects.restart();
    expect((await objects.read('kept')).toString()).toBe('one');
    expect(await objects.files('records')).toEqual([record]);
    expect((await objects.files('data')).length).toBe(1);
  });

  test.each(['', '{"key":', '{"key":"damaged"}'])(
    'one with a damaged record (%s) is missing, and nothing else is',
    async (text) => {
      await objects.put('damaged', 'x');
      const [record = ''] = await objects.files('records');
      await objects.put('kept', 'one');
      const path = join(objects.folder, Bucket, 'records', record);
      const whole = await readFile(path);
      await writeFile(path, text);
      await objects.restart();
      expect(await objects.keys()).toEqual(['kept']);
      expect((await objects.read('kept')).toString()).toBe('one');
      await expect(objects.read('damaged')).rejects.toMatchObject({ name: 'NoSuchKey' });
      expect(objects.logged).toEqual([expect.stringContaining(`${path} is damaged`)]);
      // Its bytes are still there.
      await writeFile(path, whole);
      await objects.restart();
      expect((await objects.read('damaged')).toString()).toBe('x');
    },
  );

  test('replacing and deleting give the space back', async () => {
    await objects.put('a', 'one');
    await objects.put('a', 'two');
    expect((await objects.files('data')).length).toBe(1);
    await objects.s3.send(new DeleteObjectCommand({ Bucket, Key: 'a' }));
    expect(await objects.files('data')).toEqual([]);
  });

  test("a put whose record can't be written takes no space", async () => {
    await rm(join(objects.folder, Bucket, 'records'), { recursive: true });
    await expect(objects.put('a', 'one')).rejects.toMatchObject({ name: 'InternalError' });
    expect(await objects.files('data')).toEqual([]);
  });

  test('a missing one is NoSuchKey, a head of it NotFound', async () => {
    await expect(objects.read('nothing')).rejects.toMatchObject({
      name: 'NoSuchKey',
      $metadata: { httpStatusCode: 404 },
    });
    await expect(objects.s3.send(new HeadObjectCommand({ Bucket, Key: 'nothing' }))).rejects.toMatchObject({
      name: 'NotFound',
    });
  });

  test('a copy has the bytes of its source', async () => {
    await objects.upload('big', Buffer.alloc(6 * MIB, 'x'));
    await objects.s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Bucket}/big` }));
    expect((await objects.read('copy')).length).toBe(6 * MIB);
  });

  test('a presigned URL brings the object, with the headers that it asks for', async () => {
    await objects.put('a', 'text');
    const command = new GetObjectCommand({
      Bucket,
      Key: 'a',
      ResponseContentType: 'text/x-test',
      ResponseContentDisposition: 'attachment',
    });
    const response = await fetch(await getSignedUrl(objects.s3, command, { expiresIn: 60 }));
    expect(await response.text()).toBe('text');
    expect([response.headers.get('content-type'), response.headers.get('content-disposition')]).toEqual([
      'text/x-test',
      'attachment',
    ]);
  });

  test('a condition is judged', async () => {
    await objects.put('a', 'text');
    const { ETag } = await objects.s3.send(new HeadObjectCommand({ Bucket, Key: 'a' }));
    expect((await objects.s3.send(new GetObjectCommand({ Bucket, Key: 'a', IfMatch: ETag }))).ContentLength).toBe(4);
    await expect(objects.s3.send(new GetObjectCommand({ Bucket, Key: 'a', IfMatch: '"other"' }))).rejects.toMatchObject(
      {
        $metadata: { httpStatusCode: 412 },
      },
    );
  });
});

describe('ranges', () => {
  beforeEach(async () => await objects.put('digits', '0123456789'));

  test.each([
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=8-100', '89', 'bytes 8-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-30', '0123456789', 'bytes 0-9/10'],
    ['bytes=0-0', '0', 'bytes 0-0/10'],
  ])('%s is %s', async (Range, text, contentRange) => {
    const part = await objects.s3.send(new GetObjectCommand({ Bucket, Key: 'digits', Range }));
    expect(await part.Body?.transformToString()).toBe(text);
    expect([part.ContentRange, part.$metadata.httpStatusCode]).toEqual([contentRange, 206]);
  });

  test.each(['bytes=10-', 'bytes=-0', 'bytes=20-30'])('%s is InvalidRange', async (range) => {
    await expect(objects.read('digits', range)).rejects.toMatchObject({
      name: 'InvalidRange',
      $metadata: { httpStatusCode: 416 },
    });
  });

  test('one that makes no sense is no range', async () => {
    expect((await objects.read('digits', 'bytes=5-2')).toString()).toBe('0123456789');
  });
});

describe('uploads in parts', () => {
  test('make one object of all parts, whole and by ranges across their borders', async () => {
    const body = randomBytes(13 * MIB);
    await objects.upload('big', body);
    expect((await objects.read('big')).equals(body)).toBe(true);
    expect(
      (await objects.read('big', `bytes=${5 * MIB - 2}-${10 * MIB + 1}`)).equals(
        body.subarray(5 * MIB - 2, 10 * MIB + 2),
      ),
    ).toBe(true);
    await objects.restart();
    expect((await objects.read('big')).equals(body)).toBe(true);
  });

  test('one that was never completed is gone after a restart, with its bytes', async () => {
    const { UploadId } = await objects.s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'half' }));
    await objects.s3.send(
      new UploadPartCommand({ Bucket, Key: 'half', UploadId, PartNumber: 1, Body: Buffer.alloc(MIB) }),
    );
    await objects.restart();
    expect(await objects.keys()).toEqual([]);
    expect(await objects.files('data')).toEqual([]);
    await expect(
      objects.s3.send(
        new CompleteMultipartUploadCommand({
          Bucket,
          Key: 'half',
          UploadId,
          MultipartUpload: { Parts: [{ PartNumber: 1, ETag: 'x' }] },
        }),
      ),
    ).rejects.toMatchObject({ name: 'NoSuchUpload' });
  });

  test.each([
    ['a part that was not uploaded', [{ PartNumber: 3, ETag: '"x"' }], 'InvalidPart'],
    ['parts out of order', [{ PartNumber: 2 }, { PartNumber: 1 }], 'InvalidPartOrder'],
    ['a part under 5 MiB that is not the last', [{ PartNumber: 1 }, { PartNumber: 2 }], 'EntityTooSmall'],
  ])('%s is rejected', async (_what, wanted, code) => {
    const { UploadId } = await objects.s3.send(new CreateMultipartUploadCommand({ Bucket, Key: 'k' }));
    const etags = new Map<number, string | undefined>();
    for (const PartNumber of [1, 2]) {
      const part = await objects.s3.send(
        new UploadPartCommand({ Bucket, Key: 'k', UploadId, PartNumber, Body: Buffer.alloc(MIB) }),
      );
      etags.set(PartNumber, part.ETag);
    }
    const Parts = wanted.map((part) => ({ ETag: etags.get(part.PartNumber), ...part }));
    await expect(
      objects.s3.send(new CompleteMultipartUploadCommand({ Bucket, Key: 'k', UploadId, MultipartUpload: { Parts } })),
    ).rejects.toMatchObject({ name: code });
  });

  test.runIf(isLongRun)('memory stays small: neither joining nor reading holds the object', async () => {
    const part = Buffer.alloc(5 * MIB, 'x');
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    let peak = 0;
    const look = () => {
      collectGarbage();
      peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
    };
    const Body = Readable.from(
      (function* () {
        for (let sent = 0; sent < PARTS; sent += 1) {
          if (sent % PARTS_BETWEEN === 0) look();
          yield part;
        }
      })(),
    );
    await new Upload({
      client: objects.s3,
      params: { Bucket, Key: 'big', Body },
      partSize: 5 * MIB,
      queueSize: 1,
    }).done();
    const object = await objects.s3.send(new GetObjectCommand({ Bucket, Key: 'big' }));
    let [bytes, seen] = [0, 0];
    for await (const chunk of object.Body as Readable) {
      bytes += chunk.length;
      if (bytes < seen + PARTS_BETWEEN * 5 * MIB) continue;
      seen = bytes;
      look();
    }
    expect(bytes).toBe(PARTS * 5 * MIB);
    // Sender and receiver live in this process too, with a few parts each. The object has 100 MiB.
    expect(peak).toBeLessThan(85 * MIB);
  });
});
