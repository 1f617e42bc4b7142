import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { harmless as harmlessText } from '../../../../lib/contract/input/harmless.ts';
import { commandLine, temporaryFolder } from '../command-line.ts';

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

it('keeps an existing file, and fails if its content differs', async () => {
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

it("prints one file of any name, and fails if its content is not the job's", async () => {
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
])('stores %s, and all other files', async (_, reason, paths) => {
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

it('never writes through a link in the folder', async () => {
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
