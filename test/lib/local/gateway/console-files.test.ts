import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { consoleSite } from '../../../../lib/local/gateway/console-files.ts';
import { answeringServer } from './answering-server.ts';

let folder: string;
const site = consoleSite(
  () => undefined,
  async () => await Promise.resolve(join(folder, 'built')),
);
const server = answeringServer(async (request, response) => await site(request, response, request.url ?? ''));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  await mkdir(join(folder, 'built', 'assets'), { recursive: true });
  await writeFile(join(folder, 'built', 'index.html'), '<h1>Console</h1>');
  await writeFile(join(folder, 'built', 'assets', 'a.js'), 'let ü;');
  await writeFile(join(folder, 'secret.txt'), 'secret');
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

async function ask(method: string, path: string) {
  const { status, headers, text } = await server.ask(method, path);
  const { 'content-type': type, 'content-length': length, 'cache-control': cached } = headers;
  expect(headers['x-content-type-options']).toBe('nosniff');
  return [status, text, type, length, cached];
}
const PLAIN = 'text/plain; charset=utf-8';

test('missing files, paths outside the folder and other methods are refused', async () => {
  for (const path of ['/assets/b.js', '/../secret.txt'])
    expect((await ask('GET', path)).slice(0, 3)).toEqual([404, 'There is no such file.\n', PLAIN]);
  const sentence = 'Only pages live here; the API is under /api/v1.\n';
  expect((await ask('POST', '/')).slice(0, 3)).toEqual([405, sentence, PLAIN]);
});
