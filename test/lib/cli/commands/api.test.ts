import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandLine, refused, temporaryFolder } from '../command-line.ts';

const promptq = commandLine();
const file = join(temporaryFolder(), 'body.json');
writeFileSync(file, '{"of":"a file"}');

it.each([
  ['a path that begins with none of its parts', ['GET', 'stats'], 'the path must begin with /, such as /stats'],
  ['a path to another one', ['GET', '/jobs/%2e./status'], 'path: received "/jobs/%2e./status"; "." and ".." are no'],
  ['a body that is no JSON', ['POST', '/x', '--data', '{'], 'the body is not JSON: '],
  ['a file that is not there', ['POST', '/x', '--file', `${file}.none`], "can't read the body: ENOENT"],
])('refuses %s before it sends anything', async (_, args, message) => {
  const { code, stderr, requests } = await promptq(['api', ...args]);
  expect([code, stderr.startsWith(`promptq: ${message}`), requests]).toEqual([2, true, []]);
});

it.each([
  [400, 'invalid', 2, 'invalid'],
  [404, 'not_found', 4, 'not_found: the service has nothing at this path'],
  [401, 'unauthorized', 5, 'the service does not accept the token of PROMPTQ_TOKEN'],
  [403, 'forbidden', 5, 'forbidden'],
  [503, 'unavailable', 6, "can't reach the service: the service answered 503 unavailable"],
])('the answer %d is explained, and is the exit code', async (status, error, code, message) => {
  const ended = await promptq(['api', 'GET', '/x'], { 'GET /x': refused(status, error) });
  expect(ended).toMatchObject({ code, stdout: '', stderr: `promptq: ${message}\n` });
});
