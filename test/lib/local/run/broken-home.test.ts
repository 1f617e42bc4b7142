import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkDatabase } from '../../../../lib/local/emulators/dynamodb-emulator.ts';
import { HomeError } from '../../../../lib/local/run/home-error.ts';
import { startService } from '../../../local-run/local-service.ts';

const PROGRAM = fileURLToPath(new URL('../../../../bin/local.ts', import.meta.url));

let folder: string;
/** A home that a run has used and left. */
let used: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-broken-'));
  used = join(folder, 'used');
  await mkdir(used);
  const service = await startService({ home: used });
  await service.stop({ keepHome: true });
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

let copies = 0;

async function copyOfUsed(): Promise<string> {
  const home = join(folder, `copy-${++copies}`);
  await cp(used, home, { recursive: true });
  return home;
}

/** Of a start that fails; what it logs meanwhile is on the standard output. */
async function startOn(home: string): Promise<{ code: number | null; errors: string }> {
  const child = spawn(process.execPath, [PROGRAM], {
    env: { ...process.env, HOME: folder, PORT: '0', PROMPTQ_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk));
  // It should not have started.
  child.stdout.on('data', (chunk: Buffer) => chunk.includes('Ctrl-C') && child.kill('SIGTERM'));
  await once(child, 'close');
  return { code: child.exitCode, errors };
}

/** That it ended with one line that says all of these. */
async function refuses(home: string, ...words: string[]): Promise<void> {
  expectRefusal(await startOn(home), ...words);
}

function expectRefusal({ code, errors }: { code: number | null; errors: string }, ...words: string[]): void {
  expect([code, errors]).toEqual([1, expect.stringMatching(/^promptq: [^\n]+\n$/)]);
  for (const word of words) expect(errors).toContain(word);
}

const databaseOf = (home: string) => join(home, 'dynamodb', 'ddb.sqlite');

async function removeDatabase(home: string): Promise<void> {
  for (const name of await readdir(join(home, 'dynamodb'))) await rm(join(home, 'dynamodb', name));
}

/** The content of every file of a folder. */
async function contentOf(home: string): Promise<Record<string, string>> {
  const entries = await readdir(home, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await readFile(file, 'base64')])));
}

test.each([
  ['one of before the first release', undefined, 'a format of before the first release'],
  ['a later one', '2', 'format 2'],
  ['one that would write to the terminal', '\u001b]0;hello', 'an unknown format;'],
])('a home of another format, %s, is refused with what to do and stays as it is', async (_, format, said) => {
  const home = await copyOfUsed();
  await rm(join(home, 'format'));
  if (format !== undefined) await writeFile(join(home, 'format'), `${format}\n`);
  const before = await contentOf(home);
  await refuses(home, home, said, 'this version reads format', '--home', 'PROMPTQ_HOME', 'remove this folder');
  expect(await contentOf(home)).toEqual(before);
});

test('a used home without its database is rejected, and no empty one is created', async () => {
  const home = await copyOfUsed();
  await removeDatabase(home);
  await refuses(home, databaseOf(home), 'missing', 'Restore', 'PROMPTQ_HOME');
  expect(await readdir(join(home, 'dynamodb'))).toEqual([]);
});

/** What the start of the test above checks, without the start. */
async function refusesDatabase(home: string, ...words: string[]): Promise<void> {
  const check = async () => checkDatabase({ file: databaseOf(home), isUsed: true });
  for (const word of words) await expect(check).rejects.toThrow(word);
  await expect(check).rejects.toThrow(HomeError);
}

test('a truncated database is named', async () => {
  const home = await copyOfUsed();
  await truncate(databaseOf(home), Math.floor((await stat(databaseOf(home))).size / 2));
  await refusesDatabase(home, databaseOf(home), 'malformed', 'Restore');
});

test('a home that is a file is named', async () => {
  const home = join(folder, 'file');
  await (await open(home, 'w')).close();
  await refuses(home, home, 'not a folder');
});
