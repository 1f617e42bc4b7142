import { expect, it } from 'vitest';
import { commandLine } from './command-line.ts';

const promptq = commandLine();

it('prints its version, and its help with every command and exit code', async () => {
  expect(await promptq(['--version'])).toMatchObject({ code: 0, stdout: '1.2.3\n', stderr: '' });
  const { code, stdout } = await promptq(['--help']);
  expect(code).toBe(0);
  for (const part of ['Usage: promptq [options] [command]', 'promptq dev', 'Exit codes:\n  0    success'])
    expect(stdout).toContain(part);
  expect(stdout).toMatch(/\n {2}143 {2}interrupted by SIGTERM\n/);
  expect((await promptq(['run', '--help'])).stdout).toContain('Usage: promptq run [options] [prompt]');
});

it.each([
  ['an unknown command', ['lst'], /^promptq: unknown command 'lst'\n\(Did you mean list\?\)\n$/],
  ['no command', [], /^Usage: promptq /],
  ['an unknown option', ['list', '--al'], /^promptq: unknown option '--al'\n/],
  ['an argument that is missing', ['show'], /^promptq: missing required argument 'id'\n$/],
  ['one argument too many', ['show', 'a', 'b'], /^promptq: too many arguments for 'show'/],
  ['a prompt without quotes', ['run', 'Say', 'hello'], /Put a text of several words in quotes: "Say hello"\n$/],
  ['a second text for a job', ['say', 'j', 'Say', 'hello'], /in quotes: promptq say ID "Say hello"\n$/],
  ['a status that is none', ['list', '--status', 'lost'], /is invalid\. Allowed choices are DRAFT, .*\n$/],
  ['a number that is none', ['run', 'x', '--priority', '1e3'], /is invalid\. expected a number\n$/],
  ['an empty number', ['run', 'x', '--priority', ''], /is invalid\. expected a number\n$/],
  ['a number that is too long', ['run', 'x', '--priority', '1234567890123456'], /is invalid\. expected a number\n$/],
  ['a number that is too small', ['wait', 'j', '--timeout', '-1'], /expected a number of at least 0\n$/],
  [
    'following what is not waited for',
    ['run', 'x', '--follow', '--detach'],
    /'--follow' cannot be used with .*'--detach'/,
  ],
  ['following and waiting', ['run', 'x', '--follow', '--wait'], /'--follow' cannot be used with .*'--wait'/],
  [
    'waiting for what is not waited for',
    ['run', 'x', '--detach', '--wait'],
    /'--detach' cannot be used with .*'--wait'/,
  ],
  ['waiting for a draft', ['run', 'x', '--draft', '--wait'], /'--draft' cannot be used with .*'--wait'/],
  ['following a draft', ['run', 'x', '--draft', '--follow'], /'--(draft|follow)' cannot be used with/],
  [
    'an interruption of another kind',
    ['wait', 'j', '--on-interrupt', 'end'],
    /Allowed choices are detach, cancel\.\n$/,
  ],
  ['a turn after another end', ['continue', 'j', 'x', '--after', 'none'], /Allowed choices are success, any\.\n$/],
  ['another stream', ['logs', 'j', '--stream', 'in'], /Allowed choices are stdout, stderr, all\.\n$/],
  ['another shell', ['completion', 'sh'], /Allowed choices are bash, zsh, fish\.\n$/],
])('refuses %s with 2, and sends nothing', async (_, args, message) => {
  const { code, stdout, stderr, requests } = await promptq(args);
  expect([code, stdout, requests]).toEqual([2, '', []]);
  expect(stderr).toMatch(message);
});

it('a choice is taken in any case, and a list without jobs says so', async () => {
  const none = { 'GET /jobs?limit=20&status=FAILED': { items: [], total: 0, total_complete: true, next_cursor: null } };
  expect(await promptq(['list', '--status', 'failed'], none)).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'no jobs\n',
  });
});
