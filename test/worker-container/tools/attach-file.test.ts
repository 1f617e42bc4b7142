import { execFileSync } from 'node:child_process';
import { chown, link, mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { findAttachments } from '../../../worker-container/attachments/find-attachments.ts';
import { attachFile } from '../../../worker-container/tools/attach-file.ts';
import { callTool, serveTools, type ToolAnswer } from './served-tools.ts';

let root: string;
let cwd: string;
let attachments: string;
let attach: (input: Record<string, unknown>) => Promise<ToolAnswer>;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'promptq-attach-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  [cwd, attachments] = [join(root, 'cwd'), join(root, 'attachments')];
  await Promise.all([mkdir(join(cwd, 'deep'), { recursive: true }), mkdir(attachments)]);
  await writeFile(join(root, 'outside'), 'outside');
  const server = await serveTools([attachFile({ cwd, attachments, account: undefined })]);
  attach = (input) => callTool(server, 'attach_file', input);
});

test('a file below the working folder is copied, under its name or a given one', async () => {
  await writeFile(join(cwd, 'deep', 'report.txt'), 'first');
  expect(await attach({ path: 'deep/report.txt' })).toEqual({
    text: 'Attached as report.txt (5 bytes).',
    isError: false,
  });
  await writeFile(join(cwd, 'deep', 'report.txt'), 'second');
  await attach({ path: join(cwd, 'deep', 'report.txt'), name: 'final report.txt' });
  expect((await readdir(attachments)).toSorted()).toEqual(['final report.txt', 'report.txt']);
  expect(await readFile(join(attachments, 'report.txt'), 'utf8')).toBe('first');
  expect(await readFile(join(attachments, 'final report.txt'), 'utf8')).toBe('second');
});

test('a file of the same name is replaced, and a link in its place is not followed', async () => {
  await writeFile(join(cwd, 'a'), 'mine');
  await symlink(join(root, 'outside'), join(attachments, 'a'));
  expect((await attach({ path: './a' })).isError).toBe(false);
  expect(await readFile(join(root, 'outside'), 'utf8')).toBe('outside');
  expect(await readFile(join(attachments, 'a'), 'utf8')).toBe('mine');
});

test('what a copy that was ended has left is no attachment', async () => {
  await writeFile(join(cwd, 'large'), '');
  await truncate(join(cwd, 'large'), LIMITS.attachments.fileBytes);
  const gone = new AbortController();
  const tool = attachFile({ cwd, attachments, account: undefined });
  const copied = tool.call({ path: 'large' }, gone.signal);
  await expect.poll(() => readdir(attachments), { interval: 5 }).toHaveLength(1);
  gone.abort();
  await expect(copied).rejects.toThrow('the copying process ended without an answer');
  expect(await readdir(attachments)).toEqual([expect.stringMatching(/^\.attach-\d+$/)]);
  await writeFile(join(attachments, '.attach-notes'), 'mine');
  expect((await findAttachments(attachments)).files).toEqual([{ path: '.attach-notes', bytes: 4 }]);
});

test('a file that is an attachment already can get another name', async () => {
  await writeFile(join(attachments, 'draft'), 'text');
  expect((await attach({ path: join(attachments, 'draft'), name: 'done' })).isError).toBe(false);
  expect(await readFile(join(attachments, 'done'), 'utf8')).toBe('text');
});

const REFUSED: readonly { what: string; path: string; plant?: () => Promise<unknown>; why: RegExp }[] = [
  { what: 'outside, absolute', path: '/etc/passwd', why: /not below/ },
  { what: 'outside, relative', path: '../outside', why: /not below/ },
  { what: 'beside, by the beginning of a name', path: 'BESIDE', why: /not below/ },
  { what: 'a link', path: 'link', plant: () => symlink(join(root, 'outside'), join(cwd, 'link')), why: /link/ },
  { what: 'below a link', path: 'up/outside', plant: () => symlink(root, join(cwd, 'up')), why: /link/ },
  { what: 'a FIFO', path: 'fifo', plant: async () => execFileSync('mkfifo', [join(cwd, 'fifo')]), why: /regular/ },
  { what: 'a folder', path: 'deep', why: /regular/ },
  { what: 'missing', path: 'none', why: /no such file/ },
  {
    what: 'too large',
    path: 'large',
    plant: async () => {
      await writeFile(join(cwd, 'large'), '');
      await truncate(join(cwd, 'large'), LIMITS.attachments.fileBytes + 1);
    },
    why: /larger than/,
  },
];

test.for(REFUSED)('what is $what is refused', async ({ path, plant, why }) => {
  await mkdir(`${cwd}-beside`);
  await plant?.();
  const answer = await attach({ path: path === 'BESIDE' ? `${cwd}-beside/x` : path });
  expect(answer).toEqual({ text: expect.stringMatching(why), isError: true });
  expect(await readdir(attachments)).toEqual([]);
});

test.runIf(process.geteuid?.() === 0)("another user's file is refused, also by a second name of it", async () => {
  await writeFile(join(root, 'theirs'), 'theirs');
  await chown(join(root, 'theirs'), 12_345, 12_345);
  await link(join(root, 'theirs'), join(cwd, 'theirs'));
  expect(await attach({ path: 'theirs' })).toEqual({ text: expect.stringContaining('another user'), isError: true });
});

test.for(['.hidden', 'a/b', 'a\nb', 'é'.repeat(101)])('the name %j is refused', async (name) => {
  await writeFile(join(cwd, 'a'), 'text');
  expect((await attach({ path: 'a', name })).isError).toBe(true);
  expect(await readdir(attachments)).toEqual([]);
});
