import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { harmless as harmlessText } from '../../../../lib/cli/base/terminal.ts';
import { commandLine, refused, temporaryFolder } from '../command-line.ts';

const promptq = commandLine();
const folder = temporaryFolder();
let folders = 0;
const unused = () => join(folder, `out${++folders}`);

/** An attachment of a job, whose content is its name. */
function attachment(path: string) {
  const name = path.replaceAll(/[^a-z0-9]/g, '');
  const sha256 = createHash('sha256').update(name).digest('hex');
  return { path, name, attempt: 2, bytes: name.length, content_type: 'text/plain', sha256 };
}

const A = attachment('a.txt');
const B = attachment('deep/b.txt');
const listed = (...items: object[]) => ({ 'GET /jobs/j/attachments': { items } });
const content = (name: string) => ({ [`GET /jobs/j/attachments/${name}?attempt=2`]: () => new Response(name) });
const BOTH = { ...listed(A, B), ...content('atxt'), ...content('deepbtxt') };

it('lists the attachments of an attempt, and downloads none without a folder', async () => {
  expect(await promptq(['attachments', 'j'], BOTH)).toEqual({
    code: 0,
    stdout: 'PATH        BYTES  TYPE\na.txt       4      text/plain\ndeep/b.txt  8      text/plain\n',
    stderr: '',
    requests: ['GET /jobs/j/attachments'],
  });
  const ofAttempt = { 'GET /jobs/j/attachments?attempt=2': { items: [A] } };
  const { code, stdout } = await promptq(['attachments', 'j', '--attempt', '2', '--json'], ofAttempt);
  expect([code, JSON.parse(stdout)]).toEqual([0, { items: [A] }]);
});

it('downloads all files or the named ones, each to its path in the folder', async () => {
  const all = unused();
  expect(await promptq(['attachments', 'j', '--output', all], BOTH)).toEqual({
    code: 0,
    stdout: '',
    stderr: `${all}/a.txt, 4 bytes\n${all}/deep/b.txt, 8 bytes\n`,
    requests: ['GET /jobs/j/attachments', ...Object.keys({ ...content('atxt'), ...content('deepbtxt') })],
  });
  expect([readFileSync(join(all, 'a.txt'), 'utf8'), readFileSync(join(all, 'deep/b.txt'), 'utf8')]).toEqual([
    'atxt',
    'deepbtxt',
  ]);
  const one = unused();
  const named = await promptq(['attachments', 'j', 'deep/b.txt', '--output', one, '--json'], BOTH);
  expect([named.code, JSON.parse(named.stdout), readdirSync(one)]).toEqual([0, { items: [A, B] }, ['deep']]);
});

const NO_FOLDER = 'name the folder to download into: --output; without it, one file is printed';
it.each([
  ['several files without a folder', ['a.txt', 'deep/b.txt'], 2, NO_FOLDER],
  ['a file without a folder as JSON', ['a.txt', '--json'], 2, NO_FOLDER],
  ['a file that the job does not have', ['a.txt', 'c', '--output', 'x'], 4, 'the job has no attachment c'],
])('refuses %s', async (_, args, code, message) => {
  const ended = await promptq(['attachments', 'j', ...args], BOTH);
  expect(ended).toMatchObject({ code, stdout: '', stderr: `promptq: ${message}\n` });
});

it('keeps a file that is there, and says whether it is the same', async () => {
  const output = unused();
  mkdirSync(output);
  writeFileSync(join(output, 'a.txt'), 'atxt');
  const same = await promptq(['attachments', 'j', '--output', output], { ...listed(A) });
  expect(same).toMatchObject({ code: 0, stderr: `${output}/a.txt, already there\n` });
  writeFileSync(join(output, 'a.txt'), 'mine');
  const other = await promptq(['attachments', 'j', '--output', output], BOTH);
  expect(other).toMatchObject({
    code: 2,
    stderr: `${output}/deep/b.txt, 8 bytes\npromptq: something else exists already; it is kept: ${output}/a.txt\n`,
  });
  expect(readFileSync(join(output, 'a.txt'), 'utf8')).toBe('mine');
});

it('prints one file, whatever its name is, and fails if it is not the one that the job stored', async () => {
  const named = { ...A, path: '.envrc' };
  const printed = await promptq(['attachments', 'j', '.envrc'], { ...listed(named, B), ...content('atxt') });
  expect(printed).toMatchObject({ code: 0, stdout: 'atxt', stderr: '' });
  const damaged = { ...listed({ ...named, sha256: 'other' }), ...content('atxt') };
  expect(await promptq(['attachments', 'j', '.envrc'], damaged)).toMatchObject({ code: 1, stdout: 'atxt' });
});

const HIDES = 'its name has control characters, or others that hide what it is';
it.each<[what: string, reason: string, paths: readonly string[]]>([
  [
    'nothing outside the folder',
    'it names no place below the folder',
    ['../x', './x', 'a//x', '/x', 'a/..', String.raw`a\x`],
  ],
  [
    'nothing of git',
    'git runs commands that it names',
    ['.git/config', 'a/.GIT. /hooks', 'git~1', 'GIT~2/x', '.git:x', '.g\u200Cit', '.git::$INDEX_ALLOCATION/x'],
  ],
  ['no repository', 'git takes its folder for a repository, and runs commands that its settings name', ['r/HEAD']],
  [
    'no settings of shells, editors and tools',
    'programs take settings, and with them commands, from names that begin with a dot',
    [
      ...['.envrc', '.bashrc', 'a/.zshenv', '.vscode/tasks.json', '.idea/x', '.npmrc', '.gitattributes', '.hg/hgrc'],
      ...['.husky/pre-commit', '.direnv/x', '.exrc', '.claude/settings.json', '.Envrc. ', '\u200B.envrc', '.directory'],
    ],
  ],
  ['nothing that a desktop runs', 'desktops run or load what it names', ['a.desktop', 'AUTORUN.INF', 'x/y.lnk']],
  ['no settings without a dot', 'editors and version managers take settings from it', ['mise.toml', '_vimrc']],
  [
    'no name that a shell reads',
    'a shell takes its name for an option, another folder or a command',
    ['--checkpoint=1', '~/x', '$(id)/x', 'a`id`', 'PROGRA~1/x'],
  ],
  ['no hidden name', HIDES, ['a\u0007', 'a\u202Etxt.sh', 'line\nbreak', '\u001b[2J']],
])('stores %s, but the rest', async (_, reason, paths) => {
  const output = unused();
  const harmless = ['.github/x', '.gitignore', 'r/objects/x', 'HEADER', 'x/head', 'a~1.backup.txt', '$lib/[id].ts'];
  const items = [...paths, ...harmless].map((path) => ({ ...A, path }));
  const { code, stderr } = await promptq(['attachments', 'j', '--output', output], {
    ...listed(...items),
    ...content('atxt'),
  });
  const instead = '`promptq attachments j PATH > FILE` stores it under another name';
  const refused = paths.map((path) => harmlessText(`${path} is not stored: ${reason}; ${instead}`));
  const stored = harmless.map((path) => `${output}/${path}, 4 bytes\n`);
  expect([code, stderr]).toEqual([1, `${stored.join('')}promptq: ${refused.join('\n')}\n`]);
  expect(readdirSync(folder).includes('x')).toBe(false);
  expect(statSync(join(output, '.gitignore')).mode & 0o111).toBe(0);
});

it('makes no repository of what is there already, piece by piece', async () => {
  const output = unused();
  const store = async (path: string) =>
    (await promptq(['attachments', 'j', '-o', output], { ...listed({ ...A, path }), ...content('atxt') })).code;
  expect([await store('a/HEAD'), await store('a/objects/x'), await store('a/Refs/x')]).toEqual([0, 1, 1]);
  expect([await store('b/refs/x'), await store('b/config'), await store('b/HEAD')]).toEqual([0, 0, 1]);
});

it('stores nothing through a link in the folder', async () => {
  const [output, elsewhere] = [unused(), unused()];
  mkdirSync(output);
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, join(output, 'deep'));
  const { code, stderr } = await promptq(['attachments', 'j', '-o', output], BOTH);
  expect([code, stderr]).toEqual([
    1,
    `${output}/a.txt, 4 bytes\npromptq: ${output}/deep/b.txt can't be stored: ENOTDIR: a file or a link is in the place of a folder\n`,
  ]);
  expect(readdirSync(elsewhere)).toEqual([]);
});

it('continues after a file that is gone, and fails as the job does', async () => {
  const output = unused();
  const path = 'GET /jobs/j/attachments/atxt?attempt=2';
  mkdirSync(join(output, 'deep'), { recursive: true });
  writeFileSync(join(output, 'deep/b.txt'), 'mine');
  const { code, stderr } = await promptq(['attachments', 'j', '--output', output], {
    ...BOTH,
    [path]: refused(404, 'attachment_not_found'),
  });
  expect([code, stderr]).toEqual([
    1,
    `promptq: a.txt can't be downloaded: attachment_not_found\nsomething else exists already; it is kept: ${output}/deep/b.txt\n`,
  ]);
});

it.each([
  ['an invalid token', refused(401, 'unauthorized'), 5, 'does not accept the token'],
  ['a lack of a scope', refused(403, 'forbidden'), 5, 'forbidden'],
  ['a service that fails', refused(503, 'unavailable'), 6, "can't reach the service"],
  [
    'an interruption',
    ({ stop, signal }: { stop: (signal: 'SIGTERM') => void; signal: AbortSignal }) => {
      stop('SIGTERM');
      throw signal.reason;
    },
    143,
    'interrupted',
  ],
])('ends at %s, which every file would meet, and tells the faults before it', async (_, answer, code, message) => {
  const output = unused();
  const ended = await promptq(['attachments', 'j', '--output', output], {
    ...listed({ ...A, path: '../x' }, A, B),
    ...content('deepbtxt'),
    'GET /jobs/j/attachments/atxt?attempt=2': answer,
  });
  expect(ended.code).toBe(code);
  expect(ended.stderr).toMatch(/^\.\.\/x is not stored: .*\npromptq: /);
  expect(ended.stderr).toContain(message);
  expect(existsSync(join(output, 'deep'))).toBe(false);
});
