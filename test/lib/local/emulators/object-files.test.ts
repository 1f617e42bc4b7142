import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { DeleteObjectCommand, GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Bucket, MIB, ObjectsUnderTest } from './objects-under-test.ts';

// Memory that nothing refers to does not count, however late it is collected.
setFlagsFromString('--expose-gc');

let objects: ObjectsUnderTest;

beforeEach(async () => {
  objects = await ObjectsUnderTest.start();
});

afterEach(async () => await objects.stop());

describe('objects', () => {
  test('are read with the bytes, type and metadata of the write, whatever their key', async () => {
    const Key = 'jobs/a b/ü?%2F#+.json';
    await objects.s3.send(
      new PutObjectCommand({ Bucket, Key, Body: '{"ü":1}', ContentType: 'application/json', Metadata: { note: 'x' } }),
    );
    const object = await objects.s3.send(new GetObjectCommand({ Bucket, Key }));
    expect(await object.Body?.transformToString()).toBe('{"ü":1}');
    expect([object.ContentType, object.Metadata, object.ContentLength]).toEqual(['application/json', { note: 'x' }, 8]);
  });

  test('survive a restart, as do replacements and deletions', async () => {
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

  test('a put that is cut off by the end of the process leaves the object unchanged', async () => {
    await objects.put('kept', 'one');
    const [record = ''] = await objects.files('records');
    await writeFile(join(objects.folder, Bucket, 'records', `${record}.new`), '{"key":"ke');
    await writeFile(join(objects.folder, Bucket, 'data', 'half-written'), 'x');
    await objects.restart();
    expect((await objects.read('kept')).toString()).toBe('one');
    expect(await objects.files('records')).toEqual([record]);
    expect((await objects.files('data')).length).toBe(1);
  });

  test('a presigned URL returns the object with the requested headers', async () => {
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
});
