import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
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

it.each([
  ['named files without a folder', ['a.txt'], 2, 'name the folder to download into: --output'],
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
    stderr: `${output}/deep/b.txt, 8 bytes\npromptq: another file exists already; it is kept: ${output}/a.txt\n`,
  });
  expect(readFileSync(join(output, 'a.txt'), 'utf8')).toBe('mine');
});

it('stores nothing outside the folder, and nothing that git would read commands from', async () => {
  const output = unused();
  const outside = ['../x', './x', 'a//x', '/x', 'a/..', String.raw`a\x`];
  const ofGit = ['.git/config', 'a/.GIT. /hooks', 'git~1', '.git:x', '.g\u200Cit'];
  const paths = [...outside, ...ofGit, '.github/x', '.gitignore'];
  const items = paths.map((path) => ({ ...A, path }));
  const { code, stderr } = await promptq(['attachments', 'j', '--output', output], {
    ...listed(...items),
    ...content('atxt'),
  });
  expect(code).toBe(1);
  expect(stderr).toBe(
    [
      ...['.github/x', '.gitignore'].map((path) => `${output}/${path}, 4 bytes\n`),
      'promptq: ',
      [
        ...outside.map((path) => `${path} can't be stored below ${output}`),
        ...ofGit.map((path) => `${path} is not stored: git would run commands that it names`),
      ].join('\n'),
      '\n',
    ].join(''),
  );
  expect(readdirSync(folder).includes('x')).toBe(false);
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
    `promptq: a.txt can't be downloaded: attachment_not_found\nanother file exists already; it is kept: ${output}/deep/b.txt\n`,
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
  expect(ended.stderr).toContain(`../x can't be stored below ${output}\npromptq: `);
  expect(ended.stderr).toContain(message);
  expect(existsSync(join(output, 'deep'))).toBe(false);
});
