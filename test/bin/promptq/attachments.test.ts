import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { waitFor } from '../../local-run/local-service.ts';
import { emptyHome, runPromptq, startPromptq } from './promptq-command.ts';
import { type Answer, startStandIn } from './stand-in.ts';

const home = emptyHome();

/** Downloads attachments of a job, each of which holds its path. @param faults answers of the service instead of files */
async function download(
  folder: string,
  paths: readonly string[],
  faults: Readonly<Record<string, Answer>> = {},
  env?: Readonly<Record<string, string>>,
) {
  const items = paths.map((path) => {
    const sha256 = createHash('sha256').update(path).digest('hex');
    return { name: path.replaceAll('/', '%2F'), path, bytes: path.length, sha256, content_type: 'x', attempt: 1 };
  });
  const service = await startStandIn((request) => {
    const name = /\/attachments\/([^?]+)/.exec(request)?.[1];
    if (name === undefined) return { body: { id: 'job_1', attempt: 1, items } };
    const path = decodeURIComponent(decodeURIComponent(name));
    return faults[path] ?? { body: path };
  });
  const target = join(home, folder);
  const args = ['attachments', 'job_1', '-o', target];
  // What an environment changes in a process must not reach this one.
  const ended =
    env === undefined
      ? await runPromptq(args, { env: service.env })
      : await startPromptq(args, { env: { ...service.env, ...env } }).ended;
  const stored = await readdir(target, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = stored.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return {
    ...ended,
    stored: files.map((file) => file.slice(target.length + 1)).toSorted(),
    requests: service.requests,
  };
}

test('files that are gone, damaged or named as no file can be are named, and all others stored', async () => {
  const { code, stderr, stored } = await download('all', ['a\\b.txt', 'damaged', 'first', 'gone', 'last'], {
    gone: { status: 404, body: { error: 'not_found', details: { attachments_state: 'missing' } } },
    damaged: { body: 'other bytes' },
  });
  expect([code, stored]).toEqual([1, ['first', 'last']]);
  expect(stderr).toMatch(/a\\b\.txt is not stored: it names no place/);
  expect(stderr).toMatch(/damaged can't be stored: the received file is not/);
  expect(stderr).toMatch(/gone can't be downloaded: not_found.*missing/);
});

test.each(['a//b', '/etc/x', './x', 'a/../b', 'a/'])('a file named %s is not stored', async (path) => {
  const { code, stderr, stored } = await download('outside', [path, 'first']);
  expect([code, stored]).toEqual([1, ['first']]);
  expect(stderr).toContain(`${path} is not stored: it names no place below the folder`);
});

test('what git would take for its folder, on any file system, is named and not stored', async () => {
  const git = [
    '.git/config',
    'a/.GIT/x',
    'git~1/x',
    'Git~1. /x',
    '.git',
    '.git. ./x',
    '.git::$INDEX_ALLOCATION/x',
    'git~10',
  ];
  const invisible = ['.g\u200cit/x', '\ufeff.git/x'];
  const plain = ['.github/x', '.gitignore', 'a.git/x', 'git/x'];
  const { code, stderr, stored } = await download('git', [...git, ...invisible, ...plain]);
  expect([code, stored]).toEqual([1, plain]);
  expect(stderr).toContain('.git/config is not stored: git runs commands that it names');
  expect(stderr.match(/is not stored/g)).toHaveLength(git.length + invisible.length);
});

test('on a file system without hard links, files are stored, and one that another program makes meanwhile is kept', async () => {
  // No such file system can be mounted in a test.
  const withoutLinks = `
    import fs from 'node:fs/promises';
    import { syncBuiltinESMExports } from 'node:module';
    fs.link = async (_, target) => {
      if (target.endsWith('taken')) await fs.writeFile(target, 'mine');
      throw Object.assign(new Error('EPERM: link'), { code: 'EPERM', syscall: 'link' });
    };
    syncBuiltinESMExports();`;
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(withoutLinks)}` };
  const { code, stderr, stored } = await download('exfat', ['a/first', 'taken'], {}, env);
  expect([code, stored]).toEqual([2, ['a/first', 'taken']]);
  expect(stderr).toContain('something else exists already');
  expect(await readFile(join(home, 'exfat/a/first'), 'utf8')).toBe('a/first');
  expect(await readFile(join(home, 'exfat/taken'), 'utf8')).toBe('mine');
});

test('an interrupted download leaves nothing of a file that is not complete', async () => {
  const half = new PassThrough();
  half.write('half of it');
  const item = { name: 'x', path: 'x', bytes: 20, sha256: '0', content_type: 'x', attempt: 1 };
  const { env } = await startStandIn((request) =>
    request.includes('/attachments/') ? { body: half } : { body: { id: 'job_1', attempt: 1, items: [item] } },
  );
  const target = join(home, 'interrupted');
  const running = startPromptq(['attachments', 'job_1', '-o', target], { env });
  const files = async () => await readdir(target).catch(() => []);
  await waitFor(async () => (await files()).length > 0);
  running.interrupt();
  expect(await running.ended).toMatchObject({ code: 130, stderr: 'promptq: interrupted\n' });
  expect(await files()).toEqual([]);
});
