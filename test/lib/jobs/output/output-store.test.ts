import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { joinedKey, liveChunkKey, receiptKey } from '../../../../lib/jobs/output/output-keys.ts';
import type { OutputSource } from '../../../../lib/jobs/output/output-source.ts';
import { OutputStore } from '../../../../lib/jobs/output/output-store.ts';
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
