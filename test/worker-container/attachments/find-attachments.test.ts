import { rmSync, truncateSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { attachmentKey } from '../../../lib/jobs/output/output-keys.ts';
import { findAttachments } from '../../../worker-container/attachments/find-attachments.ts';
import { type AttachmentsToKeep, keepAttachments } from '../../../worker-container/attachments/keep-attachments.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';

const LIMITS = { count: 3, fileBytes: 10, totalBytes: 20, pathBytes: 20, depth: 3 };
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
});
afterEach(async () => await rm(folder, { recursive: true }));
const write = async (path: string, bytes: number) => await writeFile(join(folder, path), Buffer.alloc(bytes));

test('what passes a limit is left, and the rest is kept', async () => {
  await write('too-large', 11);
  await mkdir(join(folder, 'a/b/c'), { recursive: true });
  await write('a/b/fits', 10);
  await write('a/b/c/too-deep', 1);
  await write('a-name-that-is-too-long', 1);
  const { files, left } = await findAttachments(folder, LIMITS);
  expect(files).toEqual([{ path: 'a/b/fits', bytes: 10 }]);
  expect(Object.fromEntries(left)).toEqual({ size: 1, depth: 1, name: 1 });
});

test('no more files are kept than the limit says, and no more bytes', async () => {
  for (const name of ['1', '2', '3', '4', '5']) await write(name, 1);
  const many = await findAttachments(folder, LIMITS);
  expect([many.files.length, Object.fromEntries(many.left)]).toEqual([3, { count: 2 }]);
  for (const name of ['1', '2', '3', '4', '5']) await write(name, 9);
  const large = await findAttachments(folder, LIMITS);
  expect([large.files.length, Object.fromEntries(large.left)]).toEqual([2, { total: 3 }]);
});

test('a link is never followed, not even to a folder within', async () => {
  await mkdir(join(folder, 'in'));
  await symlink('..', join(folder, 'in/up'));
  await symlink('/etc', join(folder, 'etc'));
  const { files, left } = await findAttachments(folder, LIMITS);
  expect([files, Object.fromEntries(left)]).toEqual([[], { kind: 2 }]);
});

/** Keeps the attachments in the folder. @param onFirst called when the first of them is sent */
async function keep({ onFirst, ...differences }: Partial<AttachmentsToKeep> & { onFirst?: () => void } = {}) {
  const objects = new Map<string, string>();
  const send = async ({ input: { Key = '', Body } }: PutObjectCommand) => {
    if (objects.size === 0) onFirst?.();
    objects.set(Key, String(Body));
  };
  const listed: string[][] = [];
  const kept = await keepAttachments({
    ...{ s3: { send } as unknown as S3Client, bucket: 'output', jobId: 'job', attempt: 1, folder, owner: undefined },
    index: { putIndex: async (_job, _attempt, attachments) => void listed.push(attachments.map(({ path }) => path)) },
    ...{ redaction: new Redaction(), signal: new AbortController().signal },
    onFailure: (error) => {
      throw error;
    },
    ...differences,
  });
  // The position in the list names the object.
  return { ...kept, contents: kept.attachments.map((_, place) => objects.get(attachmentKey('job', 1, place))), listed };
}

const UNREAD = "attachments: not kept, because it can't be read: ";

/** Files with their names as content, more than are sent at once. */
const NAMES = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];

test('a file that vanishes, or loses its content, before it is sent is left out, and the others are kept', async () => {
  for (const name of NAMES) await writeFile(join(folder, name), name);
  await write('large', 2 * 1024 * 1024);
  const onFirst = () => {
    rmSync(join(folder, '8'));
    truncateSync(join(folder, 'large'), 1);
  };
  const { attachments, warnings, contents, listed } = await keep({ onFirst });
  const left = NAMES.filter((name) => name !== '8');
  expect(attachments.map(({ path }) => path)).toEqual(left);
  expect(contents).toEqual(left);
  expect(listed).toEqual([left]);
  expect(new Set(attachments.map(({ sha256 }) => sha256))).toHaveProperty('size', left.length);
  expect(warnings).toEqual([`${UNREAD}8`, `${UNREAD}large`]);
});

test("another user's files are left out, and some of them named", async () => {
  for (const name of NAMES) await writeFile(join(folder, name), name);
  await mkdir(join(folder, '.promptq'));
  await writeFile(join(folder, '.promptq/setup.log'), "the worker's");
  const { attachments, warnings, contents } = await keep({ owner: (process.geteuid?.() ?? 0) + 1 });
  expect(attachments).toMatchObject([{ path: '.promptq/setup.log' }]);
  expect(contents).toEqual(["the worker's"]);
  const more = "attachments: 7 more not kept: they can't be read";
  expect(warnings).toEqual([`${UNREAD}0`, `${UNREAD}1`, `${UNREAD}2`, more]);
});
