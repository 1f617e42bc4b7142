import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandLine, refused, temporaryFolder } from '../command-line.ts';

const promptq = commandLine();
const file = join(temporaryFolder(), 'body.json');
writeFileSync(file, '{"of":"a file"}');

it.each<[string, string[], string, string]>([
  ['nothing', [], '', ''],
  ['its argument', ['--data', '{"of":"it"}'], '', ' {"of":"it"}'],
  ['a file', ['--file', file], '', ' {"of":"a file"}'],
  ['stdin', ['-f', '-'], '{"of":"stdin"}', ' {"of":"stdin"}'],
])('sends the body of %s, to a path with or without its prefix', async (_, options, stdin, body) => {
  for (const path of ['/x?y=1', '/api/v1/x?y=1']) {
    const answers = { 'PATCH /x?y=1': { done: true } };
    expect(await promptq(['api', 'PATCH', path, ...options], answers, { stdin })).toEqual({
      code: 0,
      stdout: '{"done":true}\n',
      stderr: '',
      requests: [`PATCH /x?y=1${body}`],
    });
  }
});

it('prints an answer that is no JSON as it is, and nothing for one without a body', async () => {
  const plain = async () => new Response('\u0000plain', { headers: { 'content-type': 'text/plain' } });
  expect(await promptq(['api', 'GET', '/x'], { 'GET /x': plain })).toMatchObject({ code: 0, stdout: '\u0000plain' });
  const empty = () => new Response(null, { status: 204, headers: { 'content-type': 'application/json' } });
  expect(await promptq(['api', 'DELETE', '/x'], { 'DELETE /x': empty })).toMatchObject({ code: 0, stdout: '' });
});

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
  [
    'a method that the API does not have',
    ['TRACE', '/x'],
    "'TRACE' is invalid for argument 'method'. Allowed choices are GET, ",
  ],
  ['two bodies', ['POST', '/x', '--data', '1', '--file', file], "option '-f, --file <file>' cannot be used with"],
])('refuses %s', async (_, args, message) => {
  const { code, stderr, requests } = await promptq(['api', ...args]);
  expect([code, requests]).toEqual([2, []]);
  expect(stderr).toContain(message);
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

it('tells what it tries again', async () => {
  const answers = { 'GET /x': [refused(503, 'unavailable', { 'retry-after': '0' }), { done: true }] };
  const ended = await promptq(['api', 'GET', '/x'], answers, { env: { PROMPTQ_RETRY_SECONDS: '60' } });
  expect(ended).toMatchObject({
    code: 0,
    stdout: '{"done":true}\n',
    stderr: 'the service answered 503 unavailable; trying again\n',
  });
  for (const seconds of ['x', '-1', '1234567', '1.']) {
    const refusal = await promptq(['api', 'GET', '/x'], {}, { env: { PROMPTQ_RETRY_SECONDS: seconds } });
    expect(refusal).toMatchObject({
      code: 2,
      stderr: `promptq: PROMPTQ_RETRY_SECONDS: received ${seconds}; expected a number of seconds\n`,
    });
  }
});
