import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { attachmentKey } from '../../../lib/jobs/output/output-keys.ts';
import { keepAttachments } from '../../../worker-container/attachments/keep-attachments.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterEach(async () => await rm(folder, { recursive: true }));

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Keeps the folder's files in a store, which may do something at each put. */
async function kept({
  onPut = async () => undefined,
  ...options
}: {
  onPut?: (key: string) => Promise<unknown>;
  isContinued?: boolean;
  owner?: number;
} = {}) {
  const objects: Record<string, string> = {};
  const indexes: unknown[] = [];
  const failures: unknown[] = [];
  const send = async (command: unknown) => {
    if (!(command instanceof PutObjectCommand)) throw new Error('only small files are put here');
    const { Bucket, Key = '', Body, ContentType } = command.input;
    await onPut(Key);
    expect([Bucket, ContentType]).toEqual(['output', 'application/octet-stream']);
    objects[Key] = String(Body);
    return {};
  };
  const result = await keepAttachments({
    s3: Object.assign(Object.create(S3Client.prototype) as S3Client, { send }),
    bucket: 'output',
    index: { putIndex: async (...given) => void indexes.push(given) },
    jobId: 'job_1',
    attempt: 2,
    folder,
    owner: undefined,
    redaction: new Redaction(['hunter2-secret']),
    signal: new AbortController().signal,
    onFailure: (error) => void failures.push(error),
    ...options,
  });
  return { ...result, objects, indexes, failures };
}

it('files are stored by their place, and named by an index, without secrets in their names', async () => {
  await mkdir(join(folder, 'sub'));
  await writeFile(join(folder, 'a.txt'), 'first');
  await writeFile(join(folder, 'sub', 'hunter2-secret.txt'), 'second');
  const { attachments, warnings, objects, indexes } = await kept();
  expect(attachments).toEqual([
    { path: 'a.txt', bytes: 5, sha256: sha256('first') },
    { path: 'sub/***.txt', bytes: 6, sha256: sha256('second') },
  ]);
  expect(warnings).toEqual([]);
  expect(Object.values(objects)).toEqual(['first', 'second']);
  expect(indexes).toEqual([['job_1', 2, attachments]]);
});

it('without files there is an index only where it replaces an earlier one', async () => {
  expect(await kept()).toMatchObject({ attachments: [], indexes: [] });
  expect(await kept({ isContinued: true })).toMatchObject({ attachments: [], indexes: [['job_1', 2, []]] });
});

it('a file that vanishes while others are sent leaves them at the places that the index says', async () => {
  // Eight are sent at once.
  const names = Array.from({ length: 10 }, (_, n) => `file-${n}`);
  for (const name of names) await writeFile(join(folder, name), `content of ${name}`);
  let removed: Promise<void> | undefined;
  const onPut = async () => {
    removed ??= rm(join(folder, 'file-8'));
    await removed;
  };
  const { attachments, warnings, objects } = await kept({ onPut });
  expect(attachments.map(({ path }) => path)).toEqual(names.filter((name) => name !== 'file-8'));
  for (const [place, { path, sha256: hash }] of attachments.entries()) {
    expect(objects[attachmentKey('job_1', 2, place)]).toBe(`content of ${path}`);
    expect(hash).toBe(sha256(`content of ${path}`));
  }
  expect(warnings).toEqual([expect.stringContaining('file-8')]);
});

it('a file of another user is left out, with a warning', async () => {
  await writeFile(join(folder, 'a'), 'text');
  const { attachments, warnings, objects } = await kept({ owner: (process.geteuid?.() ?? 0) + 1 });
  expect([attachments, objects]).toEqual([[], {}]);
  expect(warnings).toHaveLength(1);
  // The worker's own files are none of a job.
  await mkdir(join(folder, '.promptq'));
  await writeFile(join(folder, '.promptq', 'own'), 'of the worker');
  const own = await kept({ owner: (process.geteuid?.() ?? 0) + 1 });
  expect(own.attachments.map(({ path }) => path)).toEqual(['.promptq/own']);
});

it('a store that fails is tried again', async () => {
  await writeFile(join(folder, 'a'), 'text');
  let tries = 0;
  const onPut = async () => {
    tries += 1;
    if (tries === 1) throw new Error('slow down');
  };
  const { attachments, failures } = await kept({ onPut });
  expect(attachments).toHaveLength(1);
  expect(failures).toEqual([new Error('slow down')]);
});
