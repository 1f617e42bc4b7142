import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { commandLine, refused, temporaryFolder } from '../command-line.ts';

const promptq = commandLine();
const CALLER = { kind: 'token', name: 'a\u0007 name' };
/** Also that of a service below a path. */
const SESSION = { 'GET /session': CALLER, 'GET /q/session': CALLER };

/** An environment without a service, and what is saved in it. */
function home(more: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  const path = join(folder, 'promptq/credentials.json');
  return {
    env: { XDG_CONFIG_HOME: folder, PROMPTQ_URL: undefined, PROMPTQ_TOKEN: undefined, ...more },
    path,
    saved: () => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined),
  };
}

it.each([
  ['http://a.example', true],
  ['http://127.0.0.1.example', true],
  ['http://127.0.0.1', false],
  ['http://127.1.2.3:8787', false],
  ['http://localhost', false],
  ['http://a.localhost', false],
  ['http://[::1]', false],
  ['https://a.example', false],
])('warns that others can read a token on the way to %s: %j', async (url, isExposed) => {
  const { stderr } = await promptq(['login', url], SESSION, { env: home().env, stdin: 'pq_x' });
  expect(stderr).toBe(isExposed ? `${url} is not encrypted: everyone on the way can read the token\n` : '');
});

const address = 'url: expected an address such as https://promptq.example.com';
it.each<[string, string[], string, object, number, string]>([
  ['an address of another protocol', ['ftp://x'], 'pq_x', SESSION, 2, address],
  ['an address with a user', ['https://u@x'], 'pq_x', SESSION, 2, address],
  ['an address with a query', ['https://x?y=1'], 'pq_x', SESSION, 2, address],
  ['no address', ['x'], 'pq_x', SESSION, 2, address],
  ['a token that none can be', [], 'a b', SESSION, 2, 'the token has characters that no token has'],
  ['a token with another letter', [], 'ä', SESSION, 2, 'the token has characters that no token has'],
  [
    'a token that the service refuses',
    [],
    'pq_x',
    { 'GET /session': refused(401, 'unauthorized') },
    5,
    'the service does not accept the token; nothing is saved',
  ],
  ['a token without a scope', [], 'pq_x', { 'GET /session': refused(403, 'forbidden') }, 5, 'forbidden'],
  ['no token', [], '\n', SESSION, 2, 'there is no token on stdin'],
])('saves nothing for %s', async (_, args, stdin, answers, code, message) => {
  const { env, saved } = home();
  const ended = await promptq(['login', ...args], { ...answers }, { env, stdin });
  expect([ended.code, ended.stderr.split('\n').at(-2), saved()]).toEqual([code, `promptq: ${message}`, undefined]);
});

/** A terminal on which something is typed once the command has asked for it. */
function typed(keys: string) {
  // Whether the terminal passes on each key as it is typed, without showing it.
  const isRaw: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (mode: boolean) => isRaw.push(mode) });
  return { isRaw, stdin, onNote: () => void setImmediate(() => (keys === '' ? stdin.end() : stdin.write(keys))) };
}

it('asks for the token on a terminal without showing it', async () => {
  const { env, saved } = home();
  const { isRaw, ...terminal } = typed('pq_typed\n');
  const ended = await promptq(['login'], SESSION, { env, ...terminal });
  expect(isRaw).toEqual([true, false]);
  expect(ended).toMatchObject({ code: 0, stderr: 'Token for http://127.0.0.1:8787 (not shown):\n' });
  expect([ended.stdout.includes('pq_typed'), saved()]).toEqual([
    false,
    { url: 'http://127.0.0.1:8787', token: 'pq_typed' },
  ]);
});
