import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { type Answers, commandLine, temporaryFolder } from '../command-line.ts';

const promptq = commandLine();
const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd, encoding: 'utf8' });
const root = temporaryFolder();
/** The folder for temporary files, which `pull` leaves empty. */
const scratch = temporaryFolder();
const own = { cwd: process.cwd(), tmp: tmpdir() };

const BEFORE = 'one\ntwo\nthree\nfour\nfive\n';
const AFTER = BEFORE.replace('two', 'TWO');
mkdirSync(join(root, 'below'));
writeFileSync(join(root, 'file'), BEFORE);
git(root, 'init', '-q');
git(root, 'add', '.');
git(root, 'commit', '-qm', 'x');
writeFileSync(join(root, 'file'), AFTER);
const DIFF = git(root, 'diff', '--full-index');

beforeEach(() => {
  git(root, 'reset', '-q', '--hard');
  process.chdir(join(root, 'below'));
  vi.stubEnv('TMPDIR', scratch);
});
afterAll(() => {
  process.chdir(own.cwd);
  vi.unstubAllEnvs();
});

const file = () => readFileSync(join(root, 'file'), 'utf8');
const CHANGES = {
  files: 1,
  insertions: 1,
  deletions: 1,
  stat: ' file | 2 +-\u0007\n',
  truncated: false,
  masked: false,
};
const attachment = (path: string, content = DIFF) => {
  const sha256 = createHash('sha256').update(content).digest('hex');
  return { path, name: path.replaceAll(/\W/g, ''), attempt: 1, bytes: content.length, content_type: 'x', sha256 };
};
const OTHER = attachment('other.diff', 'other');
const PULLED: Answers = {
  'GET /jobs/j': { changes: CHANGES },
  'GET /jobs/j/attachments': { items: [OTHER, attachment('.promptq/changes.diff')] },
  'GET /jobs/j/attachments/promptqchangesdiff?attempt=1': () => new Response(DIFF),
};

it('applies the changes to the repository of the folder, and leaves no other file', async () => {
  expect(await promptq(['pull', 'j'], PULLED)).toEqual({
    code: 0,
    stdout: ' file | 2 +-␇\n',
    stderr: '',
    requests: Object.keys(PULLED),
  });
  expect([file(), git(root, 'status', '--short'), readdirSync(scratch)]).toEqual([AFTER, ' M file\n', []]);
});

it('merges conflicting changes only with --3way', async () => {
  const here = BEFORE.replace('four', 'four here').replace('one\n', 'one\none more\n');
  writeFileSync(join(root, 'file'), here);
  git(root, 'add', '.');
  const { code } = await promptq(['pull', 'j'], PULLED);
  expect([code, file()]).toEqual([1, here]);
  const merged = await promptq(['pull', 'j', '--3way'], PULLED);
  expect([merged.code, file()]).toEqual([1, expect.stringContaining('<<<<<<< ours')]);
});

const ELSEWHERE =
  'so that it is not what the job wrote. A turn of the job can push its branch, or copy the files to $PROMPTQ_ATTACHMENTS: attachments are whole';
it.each<[string, Answers, number, string]>([
  [
    'a job without a repository and without files',
    {
      'GET /jobs/j': { changes: null },
      'GET /jobs/j/files': { attempt: 1, note: 'It left none.', items: [], not_listed: [] },
    },
    4,
    'job j has no files: It left none.',
  ],
  [
    'changes that are too large',
    { 'GET /jobs/j': { changes: { ...CHANGES, truncated: true } } },
    1,
    `the stored diff is cut, ${ELSEWHERE}`,
  ],
  [
    'changes with a mask',
    { 'GET /jobs/j': { changes: { ...CHANGES, masked: true } } },
    1,
    `the stored diff holds *** in place of secrets, ${ELSEWHERE}`,
  ],
  [
    'changes that are not stored',
    { 'GET /jobs/j/attachments': { items: [OTHER] } },
    4,
    'job j has no attachment .promptq/changes.diff',
  ],
])('refuses %s', async (_, answers, code, message) => {
  const ended = await promptq(['pull', 'j'], { ...PULLED, ...answers });
  expect(ended).toMatchObject({ code, stdout: '', stderr: `promptq: ${message}\n` });
  expect([file(), readdirSync(scratch)]).toEqual([BEFORE, []]);
});

const kept = (path: string, content: string, masked = false) => ({
  ...{ path, bytes: content.length, executable: false, kept: true, reason: null, masked },
  sha256: createHash('sha256').update(content).digest('hex'),
});

it('downloads the files of a job without a repository, but none that programs obey', async () => {
  const link = { ...kept('link', ''), kept: false, sha256: null, reason: 'link' };
  const items = [kept('a/b.txt', 'b'), kept('.envrc', 'x'), kept('../c', 'c'), kept('key', '***', true), link];
  const ended = await promptq(['pull', 'j', '-o', join(scratch, 'out')], {
    'GET /jobs/j': { changes: null },
    'GET /jobs/j/files': { attempt: 2, note: null, items, not_listed: [] },
    'GET /jobs/j/files/content?path=a%2Fb.txt&attempt=2': () => new Response('b'),
    'GET /jobs/j/files/content?path=key&attempt=2': () => new Response('***'),
  });
  expect(ended.code).toBe(1);
  expect(ended.stderr.replaceAll(scratch, '')).toBe(`/out/a/b.txt, 1 bytes
/out/key, 3 bytes
key: *** stands in it in place of secrets
link: not kept: link
promptq: .envrc is not stored: programs take settings, and with them commands, from names that begin with a dot; \`promptq files j PATH > FILE\` stores it under another name
../c is not stored: it names no place below the folder; \`promptq files j PATH > FILE\` stores it under another name
`);
  expect(readFileSync(join(scratch, 'out/a/b.txt'), 'utf8')).toBe('b');
  rmSync(join(scratch, 'out'), { recursive: true });
});
