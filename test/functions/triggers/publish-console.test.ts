import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/triggers/publish-console.ts';
import { startObjectAndQueueEmulator } from '../../../lib/local/emulators/object-and-queue-emulator.ts';
import { newRunCredentials } from '../../../lib/local/run-access/run-credentials.ts';
import { objectClient } from '../../../lib/platform/aws/clients.ts';
import { startCloudFormation } from '../../stand-ins/cloudformation.ts';

const BUCKET = 'console';
const ends: (() => Promise<unknown>)[] = [];
let objects: S3Client;
let folder: string;
let cloudFormation: Awaited<ReturnType<typeof startCloudFormation>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  const credentials = newRunCredentials();
  const emulator = await startObjectAndQueueEmulator(join(folder, 's3'), credentials);
  ends.push(() => emulator.close());
  cloudFormation = await startCloudFormation(handler);
  ends.push(cloudFormation.stop);
  const env = {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_S3: emulator.endpoint,
    PROMPTQ_S3_PATH_STYLE: '1',
    CONSOLE_BUCKET: BUCKET,
    CONSOLE_FOLDER: join(folder, 'console'),
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  objects = objectClient({ pathStyle: true });
  await objects.send(new CreateBucketCommand({ Bucket: BUCKET }));
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
  vi.unstubAllEnvs();
});

/** A build of the console with these files. */
async function build(files: Readonly<Record<string, string>>): Promise<void> {
  await rm(join(folder, 'console'), { recursive: true, force: true });
  await mkdir(join(folder, 'console', 'assets'), { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, 'console', name), text);
}

/** What is in the bucket, by name. */
async function published(): Promise<string[]> {
  const { Contents = [] } = await objects.send(new ListObjectsV2Command({ Bucket: BUCKET }));
  return Contents.map(({ Key = '' }) => Key);
}

test('each file has its content type, and is immutable if its name has a hash, else revalidated', async () => {
  await build({ 'index.html': '<p>', 'icon.svg': '<svg>', 'assets/index-1a2b.js': 'x', 'assets/index-3c4d.css': 'y' });
  expect((await cloudFormation.ask('Create', { Digest: '1' })).Status).toBe('SUCCESS');
  const shown = await Promise.all(
    (await published()).map(async (Key) => {
      const { ContentType, CacheControl } = await objects.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
      return [Key, ContentType, CacheControl];
    }),
  );
  const forEver = 'public, max-age=31536000, immutable';
  expect(shown).toEqual([
    ['assets/index-1a2b.js', 'text/javascript; charset=utf-8', forEver],
    ['assets/index-3c4d.css', 'text/css; charset=utf-8', forEver],
    ['icon.svg', 'image/svg+xml', 'no-cache'],
    ['index.html', 'text/html; charset=utf-8', 'no-cache'],
  ]);
});

test('a new version keeps the files that open pages still request', async () => {
  await build({ 'index.html': '<p>', 'assets/index-1a2b.js': 'x' });
  expect((await cloudFormation.ask('Create', { Digest: '1' })).Status).toBe('SUCCESS');
  await build({ 'index.html': '<b>', 'assets/index-5e6f.js': 'z' });
  expect((await cloudFormation.ask('Update', { Digest: '2' })).Status).toBe('SUCCESS');
  expect(await published()).toEqual(expect.arrayContaining(['assets/index-1a2b.js', 'assets/index-5e6f.js']));
  const { Body } = await objects.send(new GetObjectCommand({ Bucket: BUCKET, Key: 'index.html' }));
  expect(await Body?.transformToString()).toBe('<b>');
});

test('a bundle without a console fails the deployment', async () => {
  await build({});
  const { Status, Reason } = await cloudFormation.ask('Update', { Digest: '4' });
  expect([Status, Reason]).toEqual(['FAILED', 'there is no console in this bundle']);
});

test('all files are deleted with the stack, so that the bucket can be', async () => {
  expect((await cloudFormation.ask('Delete', { Digest: '4' })).Status).toBe('SUCCESS');
  expect(await published()).toEqual([]);
});
