import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import openapi from '../../../openapi.json' with { type: 'json' };
import { type Browser, signedInBrowser } from '../../local-run/browser.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { schemaNamed } from '../../openapi/operations.ts';
import { startUnreliableProxy } from '../../stand-ins/unreliable-proxy.ts';
import { commandsOf, emptyHome } from './promptq-command.ts';

const home = emptyHome();
let service: ServiceUnderTest;
let admin: Browser;
beforeAll(async () => {
  service = await sharedService();
  admin = await signedInBrowser(service, 'admin');
});

const { start, run, promptq, json } = commandsOf(() => service, home);
const shell = (...args: string[]) => ['run', '--profile', 'shell', ...args];
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
const readEvent = (line: string): any => {
  const event = JSON.parse(line);
  return schemaNamed(openapi, event.type === 'end' ? 'LogEndEvent' : 'LogOutputEvent').parse(event);
};
const jobs = async (query: string) => (await service.api('GET', `/jobs?${query}`)).json;
/**
 * Arguments of `run` for a job that an earlier `run` has created, once an attempt has begun: a wait for a job's end need
 * not report its beginning.
 */
async function begun(key: string, ...args: string[]): Promise<string[]> {
  const again = [...args, '--idempotency-key', key];
  const { value } = await json('JobCreated', [...again, '--detach']);
  await waitFor(async () => (await service.api('GET', `/jobs/${value.id}`)).json.attempt === 1);
  return again;
}
const token = async (scopes: string): Promise<string> =>
  (await admin.api('POST', '/tokens', { name: 'a test', scopes: scopes.split(',') })).json.token;

describe('run', () => {
  test('prints the final message of an agent and nothing else on stdout', async () => {
    const { code, stdout, stderr } = await promptq('run', 'Say hello');
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\w[^{}]+\n$/)]);
    expect(stderr).toMatch(/^job job_\w+/);
    expect(stderr).toContain('SUCCEEDED (attempt 1, ');
  });

  test('prints the output of a script that has no final message', async () => {
    const { code, stdout, stderr } = await promptq(...shell('echo out; echo err >&2'));
    expect([code, stdout]).toEqual([0, 'out\n']);
    expect(stderr).toContain('err\n');
  });

  test('--follow prints the output of every attempt while it is written', async () => {
    const script = 'echo first; until [ -e go ]; do sleep 0.2; done; echo last';
    const running = start(shell('--follow', '--cwd', 'run-live', script));
    await waitFor(() => running.stdout() === 'first\n');
    await promptq(...shell('--cwd', 'run-live', 'touch go'));
    expect(await running.ended).toMatchObject({ code: 0, stdout: 'first\nlast\n' });
  });

  test('--follow prints what an agent does for people, --raw its lines, and --json its events', async () => {
    // One job, which is printed in three ways.
    const follow = ['run', '--follow', '--idempotency-key', 'run-three', 'drill: tool echo one; echo two; exit 3'];
    const { code, stdout } = await promptq(...follow);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Session .*\n\$ echo one; echo two; exit 3\n {2}one\n {2}two\n {2}exit code 3\n\n\w.*\nSession input /s,
      ),
    ]);
    const raw = (await promptq(...follow, '--raw')).stdout.trim().split('\n');
    expect(raw.map((line) => typeof JSON.parse(line))).toEqual(raw.map(() => 'object'));
    const events = (await promptq(...follow, '--json')).stdout.trim().split('\n').map(readEvent);
    expect(events.at(-1)).toMatchObject({ type: 'end', status: 'SUCCEEDED' });
    const ofStdout = events.flatMap((event) => (event.stream === 'stdout' ? [event.text] : []));
    expect(ofStdout.join('').trim().split('\n')).toHaveLength(raw.length);
  });

  test("the output of an agent that failed without an answer is its timeline, and a script's is never taken for one", async () => {
    const failed = await promptq('run', 'drill: fail 500');
    expect([failed.code, failed.stdout]).toEqual([1, expect.stringMatching(/^Session .*\nerror: /)]);
    expect(failed.stderr).not.toContain('codex_app_server');
    const line = '{"id":1,"result":{}}';
    expect((await promptq(...shell('--follow', `echo '${line}'`))).stdout).toBe(`${line}\n`);
  });

  test('--detach prints the id, with which `wait` waits', async () => {
    const { code, stdout } = await promptq(...shell('--detach', 'true'));
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^job_\w+\n$/)]);
    expect(await promptq('wait', stdout.trim())).toMatchObject({ code: 0, stdout: 'SUCCEEDED: The process ended.\n' });
  });

  test('--json prints what the document describes', async () => {
    const { code, value } = await json('JobResult', shell('echo hi'));
    expect([code, value.stdout]).toEqual([0, 'hi\n']);
    expect((await json('JobCreated', shell('--detach', 'true'))).value.id).toMatch(/^job_/);
    expect((await json('JobLifecycle', ['wait', value.id])).value.status).toBe('SUCCEEDED');
  });

  test('reads the prompt from a file or from stdin, and sets every field', async () => {
    const file = join(home, 'prompt.txt');
    await writeFile(file, 'echo from a file\n');
    expect((await promptq(...shell('-f', file))).stdout).toBe('from a file\n');
    expect((await run(shell('-f', '-'), { stdin: 'echo from stdin' })).stdout).toBe('from stdin\n');
    const args = ['--project', 'p', '--model', 'm', '--cwd', 'w', '--title', 'T', '--tag', 'a', '--tag', 'b'];
    const more = ['--extra-prompt', 'more', '--priority', '-2', '--retries', '3', '--attempt-timeout', '60'];
    const { stdout } = await promptq(...shell('--draft', ...args, ...more, 'a prompt'));
    expect((await service.api('GET', `/jobs/${stdout.trim()}`)).json).toMatchObject({
      ...{ status: 'DRAFT', prompt: 'a prompt', profile: 'shell', project: 'p', model: 'm', cwd: 'w', title: 'T' },
      ...{ tags: ['a', 'b'], extra_prompt: 'more', priority: -2, retries: 3, timeout: 60 },
    });
  });

  test('creates a job at each call, and one for one idempotency key', async () => {
    await promptq(...shell('--detach', '--tag', 'run-each', 'true'));
    await promptq(...shell('--detach', '--tag', 'run-each', 'true'));
    expect((await jobs('tag=run-each')).total).toBe(2);
    const keyed = shell('--detach', '--tag', 'run-keyed', '--idempotency-key', 'run-keyed', 'true');
    const { stdout } = await promptq(...keyed);
    expect((await promptq(...keyed)).stdout).toBe(stdout);
    const other = shell('--detach', '--idempotency-key', 'run-keyed', 'false');
    expect(await promptq(...other)).toMatchObject({
      ...{ code: 0, stdout },
      stderr: `job ${stdout.trim()} exists already: its idempotency key was used before; it was requested with another prompt, tags\n`,
    });
    expect((await jobs('tag=run-keyed')).total).toBe(1);
  });

  test('makes one job of it, with its exit code and whole output, behind a proxy that loses requests', async () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `line ${at + 1}\n`);
    const script = 'seq -f "line %g" 1 10000; sleep 3; seq -f "line %g" 10001 20000; exit 3';
    for (const mode of ['--wait', '--follow']) {
      const proxy = await startUnreliableProxy(service.baseUrl, { dropEach: 3, cutAfterMs: 2_500 });
      const env = { PROMPTQ_URL: proxy.url };
      const { code, stdout } = await run(shell(mode, '--tag', `proxy${mode}`, script), { env });
      await proxy.stop();
      expect([code, stdout === lines.join('')]).toEqual([1, true]);
      expect(proxy.faults.dropped).toBeGreaterThan(1);
      expect(proxy.faults.cut).toBeGreaterThan(0);
      expect((await jobs(`tag=proxy${mode}`)).total).toBe(1);
    }
  });
});

describe('exit codes', () => {
  test('1: the job failed', async () => {
    expect(await promptq(...shell('exit 9'))).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/\nFAILED: The process ended\. Exit code 9\. \(attempt 1, [\d.]+ s\)\n$/),
    });
  });

  test.each([
    [['run'], 'give a prompt'],
    [['run', 'x', '--file', 'y'], 'not both'],
    [['run', '--file', '/nowhere'], "can't read the prompt"],
    [['run', 'x', '--follow', '--detach'], 'cannot be used with'],
    [['fly'], "unknown command 'fly'"],
    [[], 'Usage: promptq'],
  ])('2: %j is wrong', async (args, sentence) => {
    const { code, stdout, stderr } = await promptq(...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(sentence);
  });

  test('3: the job was cancelled', async () => {
    const running = start(await begun('to-cancel', ...shell('--title', 'to cancel', 'sleep 600')));
    await running.reports('RUNNING');
    const [job] = (await jobs('search=cancel&status=RUNNING')).items;
    expect(await promptq('cancel', job.id)).toMatchObject({ code: 0 });
    expect(await running.ended).toMatchObject({ code: 3 });
    expect((await promptq('list', '--tree', job.id, '--json')).stdout).toContain(job.id);
    const tree = await promptq('kill', '--tree', job.id);
    expect(tree).toMatchObject({ code: 0, stdout: expect.stringMatching(/^CANCELLED: .*\njobs cancelled: 0\n$/) });
  });

  test('4: there is no such job', async () => {
    for (const args of [['wait'], ['show'], ['logs'], ['logs', '-f'], ['result'], ['cancel'], ['attachments']])
      expect(await promptq(...args, 'job_none')).toMatchObject({
        code: 4,
        stdout: '',
        stderr: expect.stringContaining('no job has this id'),
      });
  });

  test('5: the token is not accepted', async () => {
    expect(await run(['list'], { env: { PROMPTQ_TOKEN: 'pq_none' } })).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('does not accept the token of PROMPTQ_TOKEN\n'),
    });
  });

  test.each([
    [['--wait'], 'write', 'read'],
    [['--follow'], 'read,write', 'logs'],
    [['--detach'], 'read', 'write'],
  ])('5: run %j with a token that may %s creates nothing', async (options, scopes, missing) => {
    const env = { PROMPTQ_TOKEN: await token(scopes) };
    const { code, stderr } = await run(shell(...options, '--tag', 'run-forbidden', 'true'), { env });
    expect([code, stderr]).toEqual([5, expect.stringMatching(`lacks the scopes? ${missing}`)]);
    expect((await jobs('tag=run-forbidden')).total).toBe(0);
  });

  test.each([
    [['--wait'], 'read,write,logs'],
    [['--detach'], 'write'],
  ])('0: run %j with a token that may %s', async (options, scopes) => {
    const env = { PROMPTQ_TOKEN: await token(scopes) };
    expect(await run(shell(...options, 'true'), { env })).toMatchObject({ code: 0 });
  });

  test("6: the service can't be reached", async () => {
    const proxy = await startUnreliableProxy(service.baseUrl, {});
    await proxy.stop();
    const env = { PROMPTQ_URL: proxy.url, PROMPTQ_RETRY_SECONDS: '0.5' };
    const post = ['api', 'POST', '/jobs', '--data', '{}'];
    for (const args of [['list'], ['run', 'x'], ['cancel', 'job_none'], ['logs', '-f', 'job_none'], ['doctor'], post])
      expect(await run(args, { env })).toMatchObject({
        code: 6,
        stderr: expect.stringContaining("can't reach the service"),
      });
  });

  test('7: the job waits for an account, at once; for a limit, after --timeout', async () => {
    const account = await promptq('run', 'drill: not-logged-in');
    expect(account).toMatchObject({ code: 7, stderr: expect.stringContaining('continues; `promptq wait job_') });
    expect(await promptq(...(await begun('limited', 'run', 'drill: usage-limit')), '--timeout', '2')).toMatchObject({
      code: 7,
      stderr: expect.stringMatching(/usage limit[\s\S]*not ended after 2 seconds/),
    });
  });

  test('0: the job ends within a --timeout of months, which may not be negative', async () => {
    expect(await promptq('run', '--profile', 'shell', '--timeout', '9999999', 'true')).toMatchObject({ code: 0 });
    expect(await promptq('run', '--profile', 'shell', '--timeout', '-1', 'true')).toMatchObject({ code: 2 });
  });

  test('7: --wait-for-people waits for the account until --timeout', async () => {
    const args = await begun('unlinked', 'run', 'drill: not-logged-in');
    const { code, stderr } = await promptq(...args, '--wait-for-people', '--timeout', '2');
    expect([code, stderr]).toEqual([7, expect.stringContaining('not ended after 2 seconds')]);
  });
});

describe('Ctrl-C', () => {
  test.each([['--wait'], ['--follow']])('detaches from the job of %s and says so', async (mode) => {
    const running = start([...(await begun(`detached${mode}`, ...shell('sleep 600'))), mode]);
    await running.reports('RUNNING');
    running.interrupt();
    const { code, stderr } = await running.ended;
    const [, id = ''] = /interrupted; job (job_\w+) continues/.exec(stderr) ?? [];
    expect([code, (await service.api('GET', `/jobs/${id}`)).json.status]).toEqual([130, 'RUNNING']);
    await promptq('kill', id);
  });

  test.each([['run'], ['wait']])('cancels the job of %s if asked to', async (name) => {
    const again = await begun(`interrupted-${name}`, ...shell('sleep 600'));
    const waiting = name === 'run' ? again : ['wait', (await promptq(...again, '--detach')).stdout.trim()];
    const running = start([...waiting, '--on-interrupt', 'cancel']);
    await running.reports('RUNNING');
    running.interrupt();
    const { code, stderr } = await running.ended;
    const [, id = ''] = /interrupted; job (job_\w+) is (?:being )?cancelled/.exec(stderr) ?? [];
    expect([code, await promptq('wait', id)]).toEqual([130, expect.objectContaining({ code: 3 })]);
  });
});
