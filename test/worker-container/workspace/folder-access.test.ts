import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { accountOf } from '../../../worker-container/service-accounts/service-account.ts';
import { closeTo, openTo } from '../../../worker-container/workspace/folder-access.ts';

const [OWN, OTHER] = [accountOf(1_000_000, 1), accountOf(1_000_000, 2)];
const GROUP = OWN.gid;
const [mine, theirs] = [jobIdOfKey('mine'), jobIdOfKey('theirs')];
const me = { id: mine };

/** The content that the account takes over: an empty folder. */
let content: FileHandle;
let path: string;
beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  content = await open(path, 'r');
});
afterAll(async () => {
  await content.close();
  await rm(path, { recursive: true });
});

interface Found {
  readonly uid: number;
  readonly gid?: number;
  readonly mode?: number;
}

/** A folder as it is found, and what is done to it in order: only root may give folders away. */
function aFolder({ uid, gid = GROUP, mode = 0o700 }: Found) {
  const done: string[] = [];
  const folder = {
    fd: content.fd,
    stat: async () => ({ uid, gid, mode: 0o40_000 | mode }),
    chmod: async (to: number) => void done.push(to.toString(8)),
    chown: async (user: number, group: number) => void done.push(`${user - GROUP}:${group - GROUP}`),
  };
  return { folder: folder as unknown as FileHandle, done };
}

const ROOT_OWNED = `${-GROUP}:${-GROUP}`;

async function opened(found: Found, names: readonly string[], step: Partial<Parameters<typeof openTo>[1]> = {}) {
  const { folder, done } = aFolder(found);
  const isClosed = await openTo(folder, { names, isNew: false, isWorkspaces: true, account: OWN, user: me, ...step });
  return [isClosed, ...done];
}

it.each<[string, Found, unknown[]]>([
  ['of an account', { uid: OTHER.uid, mode: 0o775 }, [false, ROOT_OWNED, '755']],
  ['of the worker, open', { uid: 0, mode: 0o775 }, [false, '755']],
  ['of the worker', { uid: 0, mode: 0o755 }, [false]],
  ['of an operator', { uid: 5, mode: 0o775 }, [false]],
])('the folder of a project stays the worker’s: one %s', async (_whose, found, expected) => {
  expect(await opened(found, ['p'])).toEqual(expected);
});

it.each<[string, Found, readonly string[], unknown[]]>([
  ['a folder that jobs share', { uid: 0 }, ['p', 'work'], [false, '775', '1:0']],
  ['a folder that jobs share, of another account', { uid: OTHER.uid }, ['p', 'work'], [false]],
  ['a folder in a private one', { uid: 0 }, ['p', mine, 'sub'], [false, '775', '1:0']],
  ['its own folder, which a dying worker left', { uid: 0 }, ['p', mine], [true, '700', '1:0']],
  ['its parent’s folder, which a dying worker left', { uid: 0 }, ['p', theirs], [false, '770', '1:0']],
  ['its own folder', { uid: OWN.uid }, ['p', mine], [true]],
  ['its own folder, open to others', { uid: OWN.uid, mode: 0o770 }, ['p', mine], [false]],
  ['its own folder, half open', { uid: OWN.uid, mode: 0o750 }, ['p', mine], [true]],
  ['its own folder, of another group', { uid: OWN.uid, gid: 5 }, ['p', mine], [true]],
  ['its own folder, of another account', { uid: OTHER.uid }, ['p', mine], [true, ROOT_OWNED, '1:0']],
  ['its own folder, of an operator', { uid: 5 }, ['p', mine], [true]],
  ['its parent’s folder', { uid: OTHER.uid }, ['p', theirs], [false, `${-GROUP}:0`, '770', '2:0']],
  ['its parent’s folder, open already', { uid: OTHER.uid, mode: 0o770 }, ['p', theirs], [false]],
])('an attempt is let into %s', async (_which, found, names, expected) => {
  expect(await opened(found, names)).toEqual(expected);
});

it.each<[string, readonly string[], boolean, unknown[]]>([
  ['its own', ['p', mine], true, [true, '700', '1:0']],
  ['its parent’s', ['p', theirs], true, [false, '770', '1:0']],
  ['one that jobs share', ['p', 'work'], true, [false, '775', '1:0']],
  ['one of another root', ['data', 'work'], false, [false, '775', '1:0']],
])('a new folder: %s', async (_which, names, isWorkspaces, expected) => {
  expect(await opened({ uid: 0, gid: 0 }, names, { isNew: true, isWorkspaces })).toEqual(expected);
});

it('a folder of another root that is there stays as it is', async () => {
  expect(await opened({ uid: 0 }, ['data', 'work'], { isWorkspaces: false })).toEqual([false]);
  expect(await opened({ uid: 0 }, ['data'], { isWorkspaces: false })).toEqual([false]);
  expect(await opened({ uid: OTHER.uid }, ['data', mine], { isWorkspaces: false })).toEqual([false]);
});

it('the folder of its thread is a job’s own, that of a parent is not', async () => {
  const next = { id: jobIdOfKey('next'), folder_of: theirs };
  expect(await opened({ uid: 0 }, ['p', theirs], { user: { ...next, continues: theirs } })).toEqual([
    true,
    '700',
    '1:0',
  ]);
  expect(await opened({ uid: 0 }, ['p', theirs], { user: next })).toEqual([false, '770', '1:0']);
});

it.each<[string, Found, string, unknown[]]>([
  ['its own', { uid: 0, gid: OWN.uid }, mine, [true, '700', '1:0']],
  ['its own, last used by another account', { uid: 0, gid: OTHER.uid }, mine, [true, ROOT_OWNED, '700', '1:0']],
  ['its own, opened to others', { uid: 0, gid: OWN.uid, mode: 0o770 }, mine, [false, '770', '1:0']],
  ['its parent’s', { uid: 0, gid: OTHER.uid }, theirs, [false, '770', '2:0']],
  ['its parent’s, half handed over', { uid: 0, gid: 0 }, theirs, [false, ROOT_OWNED, '770', '1:0']],
])('a closed folder is opened again: %s', async (_which, found, name, expected) => {
  expect(await opened(found, ['p', name])).toEqual(expected);
});

it('a private folder is closed, and its group says whose files it has', async () => {
  const closed = async (found: Found, over = new AbortController()) => {
    const { folder, done } = aFolder(found);
    await closeTo(folder, OWN, over.signal);
    return done;
  };
  expect(await closed({ uid: OWN.uid })).toEqual([`${-GROUP}:1`]);
  expect(await closed({ uid: OWN.uid, mode: 0o770 })).toEqual([`${-GROUP}:1`, '700']);
  expect(await closed({ uid: OTHER.uid })).toEqual([]);
  const over = new AbortController();
  over.abort();
  expect(await closed({ uid: OWN.uid }, over)).toEqual([]);
});
