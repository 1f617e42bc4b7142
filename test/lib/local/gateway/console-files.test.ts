import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { consoleSite } from '../../../../lib/local/gateway/console-files.ts';
import { answeringServer } from './answering-server.ts';

let folder: string;
let fault: Error | undefined;
let builds = 0;
const logged: string[] = [];
const site = consoleSite(
  (line) => logged.push(line),
  async () => {
    builds += 1;
    if (fault !== undefined) throw fault;
    return await Promise.resolve(join(folder, 'built'));
  },
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

test('a console that could not be built is built again by the next visit, and then never more', async () => {
  fault = new Error('no room');
  const sentence = 'The console could not be built; the log of this run says why.\n';
  expect((await ask('GET', '/')).slice(0, 3)).toEqual([503, sentence, PLAIN]);
  expect(logged).toEqual(['Error: no room']);
  fault = undefined;
  const page = [200, '<h1>Console</h1>', 'text/html; charset=utf-8', '16', 'no-cache'];
  expect(await ask('GET', '/jobs/1')).toEqual(page);
  expect(await ask('GET', '/')).toEqual(page);
  expect(builds).toBe(2);
});

test('a file is served whole, also after it has gone, and only its length to one who asks for no more', async () => {
  const type = 'text/javascript; charset=utf-8';
  const kept = 'public, max-age=31536000, immutable';
  expect(await ask('HEAD', '/assets/a.js')).toEqual([200, '', type, '7', kept]);
  await rm(join(folder, 'built', 'assets', 'a.js'));
  expect(await ask('GET', '/assets/a.js')).toEqual([200, 'let ü;', type, '7', kept]);
});

test('what is not there, lies elsewhere or is no visit is refused', async () => {
  for (const path of ['/assets/b.js', '/../secret.txt'])
    expect((await ask('GET', path)).slice(0, 3)).toEqual([404, 'There is no such file.\n', PLAIN]);
  const sentence = 'Only pages live here; the API is under /api/v1.\n';
  expect((await ask('POST', '/')).slice(0, 3)).toEqual([405, sentence, PLAIN]);
});
