import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { commandsOf, emptyHome, inTerminal, PROGRAM, runPromptq, startTerminal } from './promptq-command.ts';

const home = emptyHome();
const file = join(home, 'promptq/credentials.json');
let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

const { promptq } = commandsOf(() => service, home);
/** Without PROMPTQ_URL and PROMPTQ_TOKEN, unless they are given. */
const saved = async (args: string[], env: Record<string, string> = {}, stdin = '') =>
  await runPromptq(args, { env: { XDG_CONFIG_HOME: home, ...env }, stdin });

describe('login', () => {
  test('without it, commands say what to do', async () => {
    expect(await saved(['list'])).toMatchObject({ code: 2, stderr: expect.stringContaining('promptq login URL') });
    expect(await saved(['list'], { PROMPTQ_URL: service.baseUrl })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no token for'),
    });
  });

  test('saves address and token for this user only, and other commands use them', async () => {
    const { code, stdout } = await saved(['login', `${service.baseUrl}/api/v1/`], {}, `${service.token}\n`);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Logged in to ${service.baseUrl} as `)]);
    expect(stdout).not.toContain(service.token);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ url: service.baseUrl, token: service.token });
    expect(await saved(['list'])).toMatchObject({ code: 0 });
  });

  test('PROMPTQ_URL and PROMPTQ_TOKEN take precedence, and a saved token is sent to no other service', async () => {
    expect(await saved(['list'], { PROMPTQ_TOKEN: 'pq_other' })).toMatchObject({ code: 5 });
    expect(await saved(['list'], { PROMPTQ_URL: 'http://127.0.0.1:9' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no token for http://127.0.0.1:9'),
    });
  });

  test.each([
    [['login', 'ftp://x'], 'x', 2, 'expected an address'],
    [['login', 'http://user:pw@x'], 'x', 2, 'expected an address'],
    [['login'], '', 2, 'there is no token on stdin'],
    [['login'], 'a b', 2, 'characters that no token has'],
    [['login'], 'pq_none', 5, 'does not accept the token; nothing is saved'],
  ])('refuses %j with the token %j', async (args, stdin, code, sentence) => {
    const before = await readFile(file, 'utf8');
    expect(await saved(args, { PROMPTQ_URL: service.baseUrl }, stdin)).toMatchObject({
      code,
      stderr: expect.stringContaining(sentence),
    });
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  test.each([
    ['Ctrl-C', 'pq_typed\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s at the prompt for the token ends it with 130, and saves nothing', async (_, keys) => {
    const before = await readFile(file, 'utf8');
    const terminal = startTerminal(['login', service.baseUrl], { XDG_CONFIG_HOME: home, PROMPTQ_TOKEN: undefined });
    const ended = once(terminal, 'close');
    let shown = '';
    terminal.stdout.on('data', (chunk: Buffer) => (shown += chunk));
    await waitFor(() => shown.includes('(not shown):'));
    terminal.stdin.write(keys);
    const [code] = await ended;
    expect([code, shown]).toEqual([130, expect.stringMatching(/promptq:\S* interrupted; nothing is saved\r\n$/)]);
    expect(shown).not.toContain('pq_typed');
    expect(await readFile(file, 'utf8')).toBe(before);
  });

  test('a damaged file is reported', async () => {
    const whole = await readFile(file, 'utf8');
    await writeFile(file, '{');
    expect(await saved(['list'])).toMatchObject({ code: 2, stderr: expect.stringContaining('is damaged') });
    await writeFile(file, whole);
  });
});

describe('the terminal', () => {
  const HOSTILE = 'a\u001b]0;owned\u0007b\u009b31m\u202ec';
  const env = () => ({ XDG_CONFIG_HOME: home, PROMPTQ_URL: service.baseUrl, PROMPTQ_TOKEN: service.token });
  const ESCAPE = '\u001b';

  test('gets colours, but not from NO_COLOR and not through a pipe', async () => {
    expect(await inTerminal(['show', 'job_none'], env())).toContain(`${ESCAPE}[31mpromptq:`);
    expect(await inTerminal(['show', 'job_none'], { ...env(), NO_COLOR: '1' })).not.toContain(ESCAPE);
    expect((await promptq('show', 'job_none')).stderr).toMatch(/^promptq: /);
  });

  test('that can take no more output ends a command with 1', async () => {
    const line = `'${process.execPath}' '${PROGRAM}' profiles > /dev/full`;
    const ended = promisify(execFile)('sh', ['-c', line], { env: { ...process.env, ...env() } });
    await expect(ended).rejects.toMatchObject({ code: 1 });
  });

  test('is not controlled by what jobs write, which a pipe gets byte for byte', async () => {
    const { json: created } = await service.api('POST', '/jobs', {
      profile: 'shell',
      prompt: `printf '%s' '${HOSTILE}'`,
    });
    expect(await promptq('wait', created.id)).toMatchObject({ code: 0 });
    const hostile = ['\u0007', '\u009b', '\u202e', '\u001b]'];
    const controls = (text: string) => hostile.filter((control) => text.includes(control));
    for (const args of [
      ['list'],
      ['show', created.id],
      ['logs', created.id],
      ['logs', '-f', created.id],
      ['result', created.id],
    ]) {
      const shown = await inTerminal(args, env());
      // The output of a job is shown without its control sequences.
      expect(shown).toContain(['logs', 'result'].includes(args[0] ?? '') ? 'ab' : 'owned');
      expect(controls(shown)).toEqual([]);
    }
    expect((await promptq('logs', created.id)).stdout).toBe(HOSTILE);
    for (const args of [['list'], ['show', created.id], ['show', created.id, '--json'], ['logs', created.id, '--json']])
      expect(controls((await promptq(...args)).stdout)).toEqual([]);
  });
});
