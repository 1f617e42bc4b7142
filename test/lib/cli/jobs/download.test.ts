import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { download } from '../../../../lib/cli/jobs/download.ts';
import { TargetFolder } from '../../../../lib/cli/jobs/target-folder.ts';
import { Promptq } from '../../../../lib/client/promptq.ts';
import { temporaryFolder } from '../command-line.ts';

const sha256 = createHash('sha256').update('content').digest('hex');
const attachment = { path: 'deep/x', name: 'x', attempt: 3, sha256 };
const root = temporaryFolder();
let folders = 0;

afterEach(() => {
  vi.unstubAllGlobals();
  vi.doUnmock('node:fs/promises');
  vi.resetModules();
});

/** A client whose requests are answered in turn. */
function answered(answers: readonly (() => Response)[], retrySeconds = 60) {
  const paths: string[] = [];
  vi.stubGlobal('fetch', async ({ url, headers }: Request) => {
    const answer = answers[paths.push(`${new URL(url).pathname}${new URL(url).search} ${headers.get('accept')}`) - 1];
    if (answer === undefined) throw new Error('there are more requests than answers');
    return answer();
  });
  return { client: new Promptq({ baseUrl: 'http://127.0.0.1', token: 't', retrySeconds }), paths };
}

const whole = () => new Response('content');
const cut = () =>
  new Response(
    new ReadableStream({
      pull(controller) {
        controller.enqueue(Buffer.from('cont'));
        controller.error(new Error('terminated'));
      },
    }),
  );

/** A new folder, and the file in it, which is not there yet. */
async function newTarget() {
  const folder = await TargetFolder.open(join(root, `f${++folders}`));
  onTestFinished(async () => await folder.close());
  return { folder, target: join(folder.path, attachment.path) };
}

it('stores a file in a folder that it makes, for its owner to write and others to read', async () => {
  const { folder, target } = await newTarget();
  const { client, paths } = answered([whole]);
  expect(await download(client, { id: 'j', attachment, folder })).toBe('stored');
  expect(paths).toEqual(['/api/v1/jobs/j/attachments/x?attempt=3 application/octet-stream']);
  expect(readFileSync(target, 'utf8')).toBe('content');
  expect(statSync(target).mode & 0o777).toBe(0o644 & ~process.umask());
  expect(readdirSync(join(target, '..'))).toEqual(['x']);
});

it('fetches a file again that was cut off or damaged, and stores it once it is whole', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(-0.99);
  const { folder, target } = await newTarget();
  const { client, paths } = answered([cut, () => new Response('damaged content'), whole]);
  expect(await download(client, { id: 'j', attachment, folder })).toBe('stored');
  expect([readFileSync(target, 'utf8'), paths.length]).toEqual(['content', 3]);
  vi.restoreAllMocks();
});

it.each([
  [
    'stays another one',
    () => new Response('other'),
    'CommandError',
    `TARGET can't be stored: the received file is not the one that the job stored`,
  ],
  ['is cut off', cut, 'UnreachableError', 'the download was cut off: terminated'],
  ['has no content', () => new Response(null), 'CommandError', `TARGET can't be stored: the received file is not`],
  ['is gone', () => Response.json({ error: 'gone' }, { status: 404 }), 'RequestError', 'gone'],
])('fails and leaves nothing if the file %s', async (_, answer, name, message) => {
  const { folder, target } = await newTarget();
  const failure = await download(answered([answer], 0).client, { id: 'j', attachment, folder }).catch((error) => error);
  expect([failure.name, failure.exitCode]).toEqual([name, name === 'CommandError' ? 1 : undefined]);
  expect(failure.message).toContain(message.replace('TARGET', target));
  expect(readdirSync(join(target, '..'))).toEqual([]);
});

it('fetches nothing if something is there: the same file, another one, a folder, or a link', async () => {
  const { folder, target } = await newTarget();
  mkdirSync(join(target, '..'), { recursive: true });
  const became = async (path: string) =>
    await download(answered([]).client, { id: 'j', attachment: { ...attachment, path }, folder });
  writeFileSync(target, 'content');
  expect(await became('deep/x')).toBe('there');
  writeFileSync(target, 'mine');
  expect(await became('deep/x')).toBe('other');
  expect(await became('deep')).toBe('other');
  symlinkSync('x', join(folder.path, 'deep/link'));
  symlinkSync('nothing', join(folder.path, 'deep/dangling'));
  writeFileSync(target, 'content');
  for (const link of ['deep/link', 'deep/dangling']) expect(await became(link)).toBe('other');
  expect(readdirSync(join(target, '..'))).toEqual(['dangling', 'link', 'x']);
});

it('says which file the disk refuses: a file or a link is in the place of a folder, or the name is too long', async () => {
  const { folder } = await newTarget();
  const outside = mkdtempSync(join(root, 'outside-'));
  mkdirSync(join(folder.path, 'deep'));
  writeFileSync(join(folder.path, 'deep/x'), 'mine');
  symlinkSync(outside, join(folder.path, 'deep/link'));
  for (const [path, code] of [
    ['deep/x/below', 'ENOTDIR'],
    ['deep/link/below', 'ENOTDIR'],
    ['deep/link/deeper/below', 'ENOTDIR'],
    [`deep/${'x'.repeat(300)}`, 'ENAMETOOLONG'],
  ] as const) {
    const failure = await download(answered([whole]).client, {
      ...{ id: 'j', attachment: { ...attachment, path }, folder },
    }).catch((error) => error);
    expect([failure.name, failure.exitCode]).toEqual(['CommandError', 1]);
    expect(failure.message.startsWith(`${join(folder.path, path)} can't be stored: ${code}`)).toBe(true);
  }
  expect(readdirSync(outside)).toEqual([]);
});

it('keeps a file that another program makes while it is fetched', async () => {
  const { folder, target } = await newTarget();
  const made = () => {
    writeFileSync(target, 'mine');
    return whole();
  };
  expect(await download(answered([made]).client, { id: 'j', attachment, folder })).toBe('other');
  expect([readFileSync(target, 'utf8'), readdirSync(join(target, '..'))]).toEqual(['mine', ['x']]);
});

/** `download` on a file system whose links fail. */
async function downloadWithoutLinks(code: string): Promise<typeof download> {
  vi.resetModules();
  vi.doMock('node:fs/promises', async (original) => ({
    ...(await original<typeof import('node:fs/promises')>()),
    link: async () => {
      throw Object.assign(new Error(code), { code, syscall: 'link' });
    },
  }));
  return (await import('../../../../lib/cli/jobs/download.ts')).download;
}

it.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])('copies the file where links fail with %s', async (code) => {
  const store = await downloadWithoutLinks(code);
  const { folder, target } = await newTarget();
  expect(await store(answered([whole]).client, { id: 'j', attachment, folder })).toBe('stored');
  expect([readFileSync(target, 'utf8'), readdirSync(join(target, '..'))]).toEqual(['content', ['x']]);
  const taken = await newTarget();
  const made = () => {
    writeFileSync(taken.target, 'mine');
    return whole();
  };
  expect(await store(answered([made]).client, { id: 'j', attachment, folder: taken.folder })).toBe('other');
  expect(readFileSync(taken.target, 'utf8')).toBe('mine');
});

it('stores nothing where links fail for another reason', async () => {
  const store = await downloadWithoutLinks('EIO');
  const { folder, target } = await newTarget();
  await expect(store(answered([whole]).client, { id: 'j', attachment, folder })).rejects.toThrow(
    `${target} can't be stored: EIO`,
  );
  expect(readdirSync(join(target, '..'))).toEqual([]);
});
