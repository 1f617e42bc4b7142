import { readdir, readFile, stat, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  attachmentIndexKey,
  attachmentKey,
  documentKey,
  joinedKey,
  receiptKey,
} from '../../../lib/jobs/output/output-keys.ts';
import { fileOfObject } from '../../local-run/kept-objects.ts';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { createJob, untilEnded } from '../job-client.ts';

/** A service whose stored output is damaged from outside. */
let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

const BYTES = 100_000;

/** A job with so many bytes of output, and the folder that holds the files of it. */
async function withOutput(): Promise<{ id: string; folder: string }> {
  const id = await createJob(service, { prompt: `yes | head -c ${BYTES}`, profile: 'shell' });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  const [bucket = ''] = await readdir(join(service.home, 's3'));
  return { id, folder: join(service.home, 's3', bucket, 'data') };
}

it('reports shortened and missing output, and keeps no reader waiting', async () => {
  const { id, folder } = await withOutput();
  const whole = (await service.api('GET', `/jobs/${id}/result?full=1`)).json;
  expect(whole).toMatchObject({ stdout_bytes: BYTES, stdout_state: 'complete', stderr_state: 'complete' });
  for (const name of await readdir(folder))
    if ((await stat(join(folder, name))).size === BYTES) await truncate(join(folder, name), BYTES / 2);
  for (const path of ['result', 'result?full=1', 'logs', 'logs?full=1', 'logs?stream=stdout&offset=0']) {
    const { status, json } = await service.api('GET', `/jobs/${id}/${path}`);
    expect([path, status, json.stdout_bytes, json.stdout_state]).toEqual([path, 200, BYTES / 2, 'truncated']);
  }
  const accept = { accept: 'text/event-stream' };
  expect((await service.api('GET', `/jobs/${id}/logs?follow=1`, undefined, accept)).text).toContain('event: end');

  const reread = await service.api('POST', `/jobs/${id}/reread-logs`);
  expect(reread).toMatchObject({
    status: 200,
    json: { stdout_bytes: BYTES, warnings: [`stdout: ${BYTES / 2} of ${BYTES} recorded bytes are kept`] },
  });
  expect((await service.api('POST', `/jobs/${id}/reread-logs`)).json.refreshed).toEqual([]);

  for (const name of await readdir(folder)) await unlink(join(folder, name));
  for (const path of ['result?full=1', 'logs?stream=stdout']) {
    const { status, json } = await service.api('GET', `/jobs/${id}/${path}`);
    expect([path, status, json.stdout_state]).toEqual([path, 200, 'missing']);
  }
  const { json } = await service.api('POST', `/jobs/${id}/reread-logs`);
  expect(json).toMatchObject({ stdout_bytes: BYTES });
});

it('keeps the recorded hash of output in which a bit flipped, and reports the difference', async () => {
  const { id, folder } = await withOutput();
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    if ((await stat(file)).size !== BYTES) continue;
    const bytes = await readFile(file);
    bytes[7] = (bytes[7] ?? 0) ^ 1;
    await writeFile(file, bytes);
  }
  const { status, json } = await service.api('POST', `/jobs/${id}/reread-logs`);
  expect([status, json.warnings]).toEqual([
    200,
    ['stdout: the kept output is not what was recorded: its hash differs'],
  ]);
  expect((await service.api('POST', `/jobs/${id}/reread-logs`)).json).toMatchObject({ refreshed: [] });
});

/** The kept objects of a job, to be damaged by their keys. */
async function openKept() {
  const { environment } = JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8'));
  const s3 = new S3Client({
    endpoint: environment.AWS_ENDPOINT_URL_S3,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: environment.AWS_ACCESS_KEY_ID, secretAccessKey: environment.AWS_SECRET_ACCESS_KEY },
  });
  const Bucket: string = environment.OUTPUT_BUCKET;
  return {
    put: async (Key: string, Body: string) => void (await s3.send(new PutObjectCommand({ Bucket, Key, Body }))),
    remove: async (Key: string) => void (await s3.send(new DeleteObjectCommand({ Bucket, Key }))),
    fileOf: async (key: string): Promise<string> => await fileOfObject(service.home, key),
    close: () => s3.destroy(),
  };
}

async function flipBit(file: string): Promise<void> {
  const bytes = await readFile(file);
  bytes[7] = (bytes[7] ?? 0) ^ 1;
  await writeFile(file, bytes);
}

/** All ways to read a whole stream. */
const WHOLE = ['result', 'result?full=1', 'logs', 'logs?full=1', 'logs?stream=stdout&offset=0'];

/** The state of stdout that each of them, and a follower, gets. */
async function statesOf(id: string): Promise<Record<string, unknown>> {
  const told: Record<string, unknown> = {};
  for (const path of WHOLE) {
    const { status, json } = await service.api('GET', `/jobs/${id}/${path}`);
    told[path] = status === 200 ? json.stdout_state : status;
  }
  const follow = await service.api('GET', `/jobs/${id}/logs?follow=1`, undefined, { accept: 'text/event-stream' });
  const end = /event: end\ndata: (.*)/.exec(follow.text)?.[1];
  told.follow = end === undefined ? follow.text : JSON.parse(end).stdout_state;
  return told;
}

const everywhere = (state: string) => Object.fromEntries([...WHOLE, 'follow'].map((path) => [path, state]));

describe('every way to read a stream reports', () => {
  const damages: [string, string, (kept: Awaited<ReturnType<typeof openKept>>, key: string) => Promise<void>][] = [
    ['complete', 'that nothing happened to', async () => undefined],
    ['missing', 'whose object was removed', async (kept, key) => await kept.remove(key)],
    ['missing', 'whose file was removed', async (kept, key) => await unlink(await kept.fileOf(key))],
    ['truncated', 'whose file was shortened', async (kept, key) => await truncate(await kept.fileOf(key), BYTES / 2)],
    ['corrupt', 'in which a bit flipped', async (kept, key) => await flipBit(await kept.fileOf(key))],
    ['corrupt', 'that was replaced by a longer one', async (kept, key) => await kept.put(key, 'z'.repeat(BYTES + 1))],
  ];
  let id: string;
  beforeAll(async () => {
    ({ id } = await withOutput());
  });
  it.each(damages)('%s of one %s', async (state, _how, damage) => {
    const kept = await openKept();
    const key = joinedKey(id, 1, 'stdout');
    await kept.put(key, 'y\n'.repeat(BYTES / 2));
    await damage(kept, key);
    expect(await statesOf(id)).toEqual(everywhere(state));
    kept.close();
  });
});

describe('an attempt whose record', () => {
  it.each([
    ['is gone', 'missing', 'is gone'],
    ['was shortened', 'corrupt', 'is unreadable'],
  ])('%s is reported, and its output and attachments are shown', async (_how, state, words) => {
    const prompt = `yes | head -c ${BYTES}; echo x > "$PROMPTQ_ATTACHMENTS/report.txt"`;
    const id = await createJob(service, { prompt, profile: 'shell' });
    expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
    const kept = await openKept();
    const key = receiptKey(id, 1);
    if (state === 'missing') await kept.remove(key);
    else await truncate(await kept.fileOf(key), 40);
    expect(await statesOf(id)).toEqual(everywhere('complete'));
    const { json } = await service.api('GET', `/jobs/${id}/result`);
    expect(json).toMatchObject({ receipt_state: state, attachments: [{ path: 'report.txt' }] });
    const reread = await service.api('POST', `/jobs/${id}/reread-logs`);
    expect(reread).toMatchObject({
      status: 200,
      json: { stdout_bytes: BYTES, warnings: [`the record of the newest attempt ${words}`] },
    });
    expect((await service.api('POST', `/jobs/${id}/reread-logs`)).json.refreshed).toEqual([]);
    await kept.remove(joinedKey(id, 1, 'stdout'));
    expect(await statesOf(id)).toEqual(everywhere('missing'));
    kept.close();
  });
});

it('reports missing, shortened and changed attachments, and never sends them as complete', async () => {
  const prompt = 'cd "$PROMPTQ_ATTACHMENTS"; for name in a b c d; do echo "content of $name" > $name; done';
  const id = await createJob(service, { prompt, profile: 'shell' });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
  const kept = await openKept();
  await kept.remove(attachmentKey(id, 1, 0));
  await truncate(await kept.fileOf(attachmentKey(id, 1, 1)), 5);
  await flipBit(await kept.fileOf(attachmentKey(id, 1, 2)));
  const read = async (name: string) => await service.api('GET', `/jobs/${id}/attachments/${name}`);
  expect(await read('a')).toMatchObject({ status: 404, json: { details: { attachments_state: 'missing' } } });
  expect(await read('b')).toMatchObject({
    status: 404,
    json: { details: { attachments_state: 'truncated', kept_bytes: 5 } },
  });
  expect(await read('c')).toMatchObject({ status: 500, json: { error: 'internal_error' } });
  expect(await read('d')).toMatchObject({ status: 200, text: 'content of d\n' });
  expect((await service.api('GET', `/jobs/${id}/result`)).json).toMatchObject({ attachments_state: 'complete' });
  await truncate(await kept.fileOf(attachmentIndexKey(id, 1)), 5);
  expect((await service.api('GET', `/jobs/${id}/result`)).json).toMatchObject({ attachments_state: 'corrupt' });
  await kept.remove(attachmentIndexKey(id, 1));
  expect((await service.api('GET', `/jobs/${id}/result`)).json).toMatchObject({ attachments_state: 'missing' });
  kept.close();
});

it('links only to existing documents, and the store sends their checksum', async () => {
  const { id } = await withOutput();
  const kept = await openKept();
  const key = receiptKey(id, 1);
  const receipt = JSON.parse(await readFile(await kept.fileOf(key), 'utf8'));
  await kept.put(key, JSON.stringify({ ...receipt, documents: ['result'] }));
  const bounded = await service.api('GET', `/jobs/${id}/result?full=1`);
  expect(bounded).toMatchObject({ status: 200, json: { stdout_bytes: BYTES, stdout_state: 'complete' } });
  await kept.put(documentKey(id, 1, 'result'), '{}');
  const headers = { authorization: `Bearer ${service.token}` };
  const { status, headers: answered } = await fetch(`${service.baseUrl}/api/v1/jobs/${id}/result?full=1`, {
    headers,
    redirect: 'manual',
  });
  expect([status, new URL(answered.get('location') ?? '').searchParams.get('x-amz-checksum-mode')]).toEqual([
    303,
    'ENABLED',
  ]);
  kept.close();
});
