import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinedKey, liveChunkKey, receiptKey } from '../../../../lib/jobs/output/output-keys.ts';
import type { OutputSource } from '../../../../lib/jobs/output/output-source.ts';
import { OutputStore } from '../../../../lib/jobs/output/output-store.ts';
import { uploadDocument } from '../../../../lib/jobs/output/output-upload.ts';
import type { Receipt } from '../../../../lib/jobs/receipts/receipt.ts';
import { type EmulatedS3, emulatedS3Client, startEmulatedS3 } from '../../../stand-ins/emulated-s3.ts';
import { startFaultyS3 } from '../../../stand-ins/emulated-s3-faults.ts';

let s3: EmulatedS3;
let store: OutputStore;
beforeAll(async () => {
  s3 = await startEmulatedS3();
  store = new OutputStore(s3.client, s3.bucket);
});
afterAll(() => s3.stop());

test('a receipt is read as it was stored, and not before', async () => {
  expect(await store.readReceipt('job_receipt', 2)).toBeUndefined();
  await store.putReceipt(receipt('job_receipt', 2));
  expect(await store.readReceipt('job_receipt', 2)).toEqual(receipt('job_receipt', 2));
  expect(await store.readReceipt('job_receipt', 1)).toBeUndefined();
});

test('an invalid receipt is an error that names its key', async () => {
  await put(receiptKey('job_bad', 1), '{"version":1}');
  await expect(store.readReceipt('job_bad', 1)).rejects.toThrow(
    'jobs/job_bad/attempts/000001/receipt.json is not a receipt',
  );
});

test('a stream that nothing was written to is empty', async () => {
  expect(await all(await store.openStream('job_none', 1, 'stdout'))).toBe('');
});

test('a joined stream is read by ranges', async () => {
  await put(joinedKey('job_joined', 1, 'stderr'), '0123456789');
  const stream = await store.openStream('job_joined', 1, 'stderr');
  expect(stream.size).toBe(10);
  expect(await all(stream)).toBe('0123456789');
  expect(await all(stream, 3, 5)).toBe('34');
  expect(await all(stream, 8, 99)).toBe('89');
  expect(await all(stream, 10)).toBe('');
  expect(await all(await store.openStream('job_joined', 1, 'stdout'))).toBe('');
});

test('a live stream of more chunks than a listing holds is read in order', async () => {
  const words = Array.from({ length: 1_030 }, (_, i) => `word ${i}\n`);
  const whole = words.join('');
  await putChunks('job_live', words);
  const stream = await store.openStream('job_live', 1, 'stdout');
  expect(stream.size).toBe(whole.length);
  expect(await all(stream)).toBe(whole);
  expect(await all(stream, 5_003, 5_021)).toBe(whole.slice(5_003, 5_021));
  expect(await all(await store.openStream('job_live', 1, 'stdout', 5_003), 5_003)).toBe(whole.slice(5_003));
});

test('reading from an offset lists only the chunks that can hold it', async () => {
  const chunk = 'x'.repeat(1024 * 1024);
  await putChunks('job_from', [chunk, chunk, chunk, 'the end']);
  const from = 3 * chunk.length + 4;
  const stream = await store.openStream('job_from', 1, 'stdout', from);
  expect(await all(stream, from)).toBe('end');
  await expect(all(stream, 0)).rejects.toThrow('bytes 0 to 3145728 of stdout of attempt 1 of job_from are missing');
  expect((await store.openStream('job_from', 1, 'stdout', 99 * chunk.length)).size).toBe(from + 3);
});

test('a stream that is joined while it is read continues at the same byte', async () => {
  const words = Array.from({ length: 40 }, (_, i) => `word ${i}\n`);
  await putChunks('job_race', words);
  const stream = await store.openStream('job_race', 1, 'stdout');
  let read = '';
  for await (const bytes of stream.read()) {
    if (read === '') await joinChunks('job_race', words);
    read += bytes.toString();
  }
  expect(read).toBe(words.join(''));
});

test('a stream that is joined between two reads is found joined', async () => {
  const words = ['a', 'b', 'c'];
  await putChunks('job_between', words);
  const client = emulatedS3Client(s3.endpoint);
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'ListObjectsV2Command') await joinChunks('job_between', words);
        return next(args);
      },
    { step: 'initialize' },
  );
  expect(await all(await new OutputStore(client, s3.bucket).openStream('job_between', 1, 'stdout'))).toBe('abc');
  client.destroy();
});

test('missing chunks are an error, never skipped', async () => {
  await putChunks('job_gap', ['aaaa', 'bbbb', 'cccc']);
  const stream = await store.openStream('job_gap', 1, 'stdout');
  await remove(liveChunkKey('job_gap', 1, 'stdout', 4));
  const message = 'of stdout of attempt 1 of job_gap are missing';
  await expect(store.openStream('job_gap', 1, 'stdout')).rejects.toThrow(`bytes 4 to 8 ${message}`);
  await expect(all(stream)).rejects.toThrow(`bytes 4 to 12 ${message}`);
  await remove(liveChunkKey('job_gap', 1, 'stdout', 0));
  await expect(store.openStream('job_gap', 1, 'stdout')).rejects.toThrow(`bytes 0 to 8 ${message}`);
});

test('an interrupted body is resumed where it broke', async () => {
  const whole = 'abcdefghij'.repeat(30_000);
  await put(joinedKey('job_cut', 1, 'stdout'), whole);
  let gets = 0;
  const faulty = await startFaultyS3(s3.endpoint, ({ method }) => {
    if (method !== 'GET') return 'none';
    gets += 1;
    return gets < 4 ? { cutAfter: 70_001 } : 'none';
  });
  const client = emulatedS3Client(faulty.endpoint);
  expect(await all(await new OutputStore(client, s3.bucket).openStream('job_cut', 1, 'stdout'))).toBe(whole);
  expect(gets).toBeGreaterThan(3);
  client.destroy();
  await faulty.stop();
});

test('a body that keeps breaking is an error', async () => {
  await put(joinedKey('job_broken', 1, 'stdout'), 'abcdefghij');
  const faulty = await startFaultyS3(s3.endpoint, ({ method }) => (method === 'GET' ? { cutAfter: 0 } : 'none'));
  const client = emulatedS3Client(faulty.endpoint);
  const stream = await new OutputStore(client, s3.bucket).openStream('job_broken', 1, 'stdout');
  await expect(all(stream)).rejects.toThrow();
  client.destroy();
  await faulty.stop();
});

test('a document can be read with its URL alone', async () => {
  const json = `{"stdout":"${'x'.repeat(12_000_000)}"}`;
  await uploadDocument({
    s3: s3.client,
    bucket: s3.bucket,
    jobId: 'job_document',
    attempt: 3,
    document: 'logs-stdout',
    body: Readable.from([json]),
  });
  const response = await fetch(await store.presignDocument('job_document', 3, 'logs-stdout', 60));
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.text()).toBe(json);
});

async function all(source: OutputSource, from?: number, to?: number): Promise<string> {
  return (await buffer(Readable.from(source.read(from, to)))).toString();
}

async function put(key: string, body: string): Promise<void> {
  await s3.client.send(new PutObjectCommand({ Bucket: s3.bucket, Key: key, Body: body }));
}

async function remove(key: string): Promise<void> {
  await s3.client.send(new DeleteObjectCommand({ Bucket: s3.bucket, Key: key }));
}

async function putChunks(jobId: string, words: string[]): Promise<void> {
  for (const [offset, word] of withOffsets(words)) await put(liveChunkKey(jobId, 1, 'stdout', offset), word);
}

async function joinChunks(jobId: string, words: string[]): Promise<void> {
  await put(joinedKey(jobId, 1, 'stdout'), words.join(''));
  for (const [offset] of withOffsets(words)) await remove(liveChunkKey(jobId, 1, 'stdout', offset));
}

function withOffsets(words: string[]): [number, string][] {
  let offset = 0;
  return words.map((word) => {
    const entry: [number, string] = [offset, word];
    offset += word.length;
    return entry;
  });
}

function receipt(jobId: string, attempt: number): Receipt {
  const stream = { bytes: 0, lines: 0, sha256: 'e3b0', complete: true };
  return {
    version: 1,
    job_id: jobId,
    attempt,
    worker_id: 'worker_1',
    started_at: '2026-01-01T00:00:00.000Z',
    finished_at: '2026-01-01T00:00:01.000Z',
    outcome: { kind: 'succeeded', reason: 'exited', exit_code: 0, signal: null },
    composed_prompt: 'say hi',
    streams: { stdout: stream, stderr: stream },
    documents: [],
  };
}
