import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeNotes } from '../../../console/src/jobs/changes/change-notes.ts';
import { sideBySideRows } from '../../../console/src/jobs/changes/changed-rows.ts';
import { openAtFirst } from '../../../console/src/jobs/changes/open-at-first.ts';
import { parseChanges } from '../../../console/src/jobs/changes/parse-changes.ts';
import { visibleText } from '../../../console/src/jobs/changes/visible-text.ts';

const run = promisify(execFile);
let folder: string;

async function git(...args: string[]): Promise<string> {
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' };
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  return (await run('git', [...identity, ...args], { cwd: folder, env, maxBuffer: 1e8 })).stdout;
}

/** The output of git for changes to a repository with these files. */
async function diffOf(before: Record<string, string>, change: () => Promise<unknown>): Promise<string> {
  await git('init', '-q', '.');
  for (const [name, text] of Object.entries(before)) await write(name, text);
  await git('add', '--all');
  await git('commit', '-q', '--allow-empty', '-m', 'before');
  await change();
  await git('add', '--all');
  return await git('diff', '--binary', '-M', 'HEAD');
}

const write = async (name: string, text: string | Buffer) => await writeFile(join(folder, name), text);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-changes-'));
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

test('each file of a git diff is parsed with its kind of change', async () => {
  const before = {
    'edited.txt': 'one\ntwo\nthree\n',
    'gone.txt': 'gone\n',
    'old name.txt': 'a\nb\nc\nd\n',
    'run.sh': 'true\n',
    'picture.png': '\0old',
  };
  const diff = await diffOf(before, async () => {
    await write('edited.txt', 'one\n-- two\n++ more\nthree');
    await rm(join(folder, 'gone.txt'));
    await rename(join(folder, 'old name.txt'), join(folder, 'new näme\t"b/c".txt'.replace('/', '-')));
    await chmod(join(folder, 'run.sh'), 0o755);
    await write('picture.png', Buffer.from([0, 1, 2, 255]));
    await write('empty', '');
    await symlink('/etc/passwd', join(folder, 'zlink'));
  });
  const files = parseChanges(diff);
  const shown = files.map((file) => [file.path, file.insertions, file.deletions, changeNotes(file).join(', ')]);
  expect(shown).toEqual([
    ['edited.txt', 3, 2, ''],
    ['empty', 0, 0, 'New file'],
    ['gone.txt', 0, 1, 'Deleted file'],
    ['new näme\t"b-c".txt', 0, 0, 'Renamed from old name.txt'],
    ['picture.png', 0, 0, 'Binary file'],
    ['run.sh', 0, 0, 'Mode changed from 100644 to 100755'],
    ['zlink', 1, 0, 'New symbolic link'],
  ]);
  expect(files.map((file) => file.diff).join('')).toBe(diff);
  expect(files[2]?.parts?.map(({ heading }) => heading)).toEqual(['@@ -1,1 +0,0 @@']);
  expect(files[0]?.parts?.[0]?.lines).toEqual([
    { sign: ' ', text: 'one', before: 1, after: 1 },
    { sign: '-', text: 'two', before: 2 },
    { sign: '-', text: 'three', before: 3 },
    { sign: '+', text: '-- two', after: 2 },
    { sign: '+', text: '++ more', after: 3 },
    { sign: '+', text: 'three', after: 4 },
    { sign: '\\', text: 'No newline at end of file' },
  ]);
  const rows = sideBySideRows(files[0]?.parts ?? []).map((row) =>
    'heading' in row ? row.heading : `${row.before?.text ?? ''} | ${row.after?.text ?? ''}`,
  );
  expect(rows).toEqual([
    '@@ -1,3 +1,4 @@',
    'one | one',
    'two | -- two',
    'three | ++ more',
    ' | three',
    ' | No newline at end of file',
  ]);
});

const fileDiff = (name: string, lines: readonly string[], count = lines.length) =>
  `diff --git a/${name} b/${name}\nnew file mode 100644\n--- /dev/null\n+++ b/${name}\n` +
  `@@ -0,0 +1,${count} @@\n${lines.map((line) => `+${line}\n`).join('')}`;

test("a part that can't be parsed is kept as text and hides no other file", () => {
  const diff =
    fileDiff('first', ['a', 'diff --git a/x b/x']) + fileDiff('altered', ['[masked]'], 3) + fileDiff('last', ['b']);
  const files = parseChanges(diff);
  expect(files.map(({ path, parts }) => [path, parts?.length])).toEqual([
    ['first', 1],
    ['altered', undefined],
    ['last', 1],
  ]);
  expect(files[1]?.diff).toContain('+[masked]');
  expect(changeNotes(files[1] as (typeof files)[number])).toEqual(['New file', 'Not readable as a diff']);
  expect(parseChanges('')).toEqual([]);
  expect(parseChanges('not a diff\n')).toEqual([]);
});

test('a truncated diff omits its last file, unless it is the only one', () => {
  const one = fileDiff('first', ['a', 'b']);
  const cut = one + fileDiff('second', ['a', 'b']).slice(0, -2);
  expect(parseChanges(cut, { isCut: true }).map(({ path }) => path)).toEqual(['first']);
  expect(parseChanges(cut).map(({ path }) => path)).toEqual(['first', 'second']);
  expect(parseChanges(one.slice(0, -2), { isCut: true }).map(({ path }) => path)).toEqual(['first']);
});

test('large files are collapsed initially, as are small ones after many expanded lines', () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}`);
  const diff = [401, ...Array.from({ length: 6 }, () => 400), 1].map((count, at) => fileDiff(`${at}`, lines(count)));
  expect([...openAtFirst(parseChanges(diff.join('')))]).toEqual([1, 2, 3, 4, 5]);
});

test('characters that reorder or hide text are escaped, and a very long line is truncated', () => {
  expect(visibleText('if (a\u202e) b\u200b\tc\r')).toBe('if (a⟨U+202E⟩) b⟨U+200B⟩\tc␍');
  expect(visibleText('<b>ü</b> 漢')).toBe('<b>ü</b> 漢');
  expect(visibleText('x'.repeat(5_000))).toBe(`${'x'.repeat(2_000)}… (3,000 more characters)`);
});
