import { readdir, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeEach(async () => {
  deployment = await emulateDeployment();
});
afterEach(async () => await deployment.stop());

/** Stores an object, then changes the one file that holds its bytes. */
async function damaged(change: (file: string) => Promise<void>) {
  const at = { Bucket: deployment.env.OUTPUT_BUCKET, Key: 'jobs/x' };
  await deployment.objects.send(new PutObjectCommand({ ...at, Body: 'hello world' }));
  const folder = join(deployment.env.PROMPTQ_WORKSPACES, '..', 's3', deployment.env.OUTPUT_BUCKET, 'data');
  const [file = ''] = await readdir(folder);
  await change(join(folder, file));
  const { ContentLength: size } = await deployment.objects.send(new HeadObjectCommand(at));
  return { size, at };
}

it('a shortened object has its actual length, and ends its readers', async () => {
  const { size, at } = await damaged((file) => truncate(file, 5));
  expect(size).toBe(5);
  const { Body } = await deployment.objects.send(new GetObjectCommand({ ...at, Range: 'bytes=0-10' }));
  expect(await Body?.transformToString()).toBe('hello');
  const whole = await deployment.objects.send(new GetObjectCommand(at));
  await expect(whole.Body?.transformToString()).rejects.toThrow('Checksum mismatch');
});
