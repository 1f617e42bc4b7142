import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AgentSessionStore } from '../../../lib/jobs/output/agent-sessions/agent-session-store.ts';
import type { AttachmentStore } from '../../../lib/jobs/output/attachments/attachment-store.ts';
import { restoreAttachments } from '../../../worker-container/attachments/restore-attachments.ts';
import { SettingsUnreadError } from '../../../worker-container/secrets/transient-error.ts';

let folder: string;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'promptq-test-')), 'attachments');
  await mkdir(folder);
  await writeFile(join(folder, 'of-the-setup'), 'left');
});
afterEach(async () => await rm(join(folder, '..'), { recursive: true }));

type Stored = Readonly<Record<number, Readonly<Record<string, string | Error>>>>;

/** Restores what attempts stored, by their number and path, into the folder of one that continues attempt 3. */
async function restored(
  stored: Stored,
  { resumedFrom = {} as Record<number, number>, checkEnding = (): undefined => undefined } = {},
) {
  const store = {
    stored: async (_job: string, attempt: number) => {
      const files = stored[attempt];
      return files && Object.keys(files).map((path) => ({ path, bytes: 1, sha256: '' }));
    },
    read: ({ attempt, index }: { attempt: number; index: number }) =>
      (async function* () {
        const content = Object.values(stored[attempt] ?? {})[index] ?? '';
        yield Buffer.from('be');
        if (content instanceof Error) throw content;
        yield Buffer.from(content);
      })(),
  } as unknown as AttachmentStore;
  const sessions = {
    find: async (_job: string, attempt: number) => ({ record: { resumed_from: resumedFrom[attempt] } }),
  } as unknown as AgentSessionStore;
  return await restoreAttachments({ jobId: 'j', attempt: 3, store, sessions, folder, account: undefined, checkEnding });
}

it('the folder is replaced by what the continued attempt stored, without what is the own of that attempt', async () => {
  expect(await restored({ 3: { 'a.txt': 'a', 'b/c/d.txt': 'd', '.promptq/session': 's', '.promptqs': 'p' } })).toEqual(
    [],
  );
  expect((await readdir(folder, { recursive: true })).toSorted()).toEqual([
    '.promptqs',
    'a.txt',
    'b',
    'b/c',
    'b/c/d.txt',
  ]);
  expect(await readFile(join(folder, 'b/c/d.txt'), 'utf8')).toBe('bed');
  const modes = await Promise.all(
    ['.', 'b', 'a.txt'].map(async (name) => (await stat(join(folder, name))).mode & 0o777),
  );
  expect(modes).toEqual([0o700, 0o700, 0o600]);
  expect(await readdir(join(folder, '..'))).toEqual(['attachments']);
});

it('an attempt whose worker was lost stored none: those of the attempt that it had continued are taken', async () => {
  expect(await restored({ 1: { old: '1' } }, { resumedFrom: { 3: 2, 2: 1 } })).toEqual([]);
  expect(await readdir(folder)).toEqual(['old']);
});

it('a file that cannot be restored is a warning, and leaves nothing', async () => {
  const wrong = ['../out', '/absolute', 'a//b', 'a/./b', 'a/../b', ''];
  const files = Object.fromEntries(wrong.map((path) => [path, 'x']));
  const warnings = await restored({ 3: { ...files, damaged: new Error('checksum'), good: 'g' } });
  expect(warnings).toEqual([...wrong, 'damaged'].map((path) => `attachments: ${path} of attempt 3 was not restored`));
  expect(await readdir(folder)).toEqual(['good']);
  expect(await readdir(join(folder, '..'))).toEqual(['attachments']);
});

it('a busy store or a full disk keeps the attempt from starting', async () => {
  const busy = Object.assign(new Error('busy'), { name: 'SlowDown' });
  await expect(restored({ 3: { a: busy } })).rejects.toThrow(SettingsUnreadError);
  await rm(`${folder}-restored`, { recursive: true });
  const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
  await expect(restored({ 3: { a: full } })).rejects.toThrow('full');
});
