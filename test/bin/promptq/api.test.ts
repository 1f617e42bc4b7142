import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { startUnreliableProxy } from '../../stand-ins/unreliable-proxy.ts';
import { commandsOf, emptyHome } from './promptq-command.ts';

/** `promptq api`, which calls any route. */
const home = emptyHome();
let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});
const { run, promptq } = commandsOf(() => service, home);

test('prints the answer of a route as it is, by a path with or without the prefix of all paths', async () => {
  // An answer that the other tests of this service don't change meanwhile.
  const { code, stdout, stderr } = await promptq('api', 'GET', '/openapi.json');
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toMatchObject({ openapi: expect.any(String) });
  expect((await promptq('api', 'GET', '/api/v1/openapi.json')).stdout).toBe(stdout);
});

test('sends a body from an option, a file or stdin, and deletes without an answer', async () => {
  const rules = async () =>
    JSON.parse((await promptq('api', 'GET', '/rules')).stdout).items.map(({ id }: { id: string }) => id);
  const config = (id: string) => JSON.stringify({ rules: [{ id, text: 'Be brief.' }] });
  await writeFile(join(home, 'config.json'), config('two'));
  const ended = [
    await promptq('api', 'POST', '/config/import', '--data', config('one')),
    await promptq('api', 'POST', '/config/import', '--file', join(home, 'config.json')),
    await run(['api', 'POST', '/config/import', '--file', '-'], { stdin: config('three') }),
  ];
  expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual([
    [0, ''],
    [0, ''],
    [0, ''],
  ]);
  expect(await rules()).toEqual(expect.arrayContaining(['one', 'two', 'three']));
  expect(await promptq('api', 'DELETE', '/rules/two')).toMatchObject({ code: 0, stderr: '' });
  expect(await rules()).not.toContain('two');
});

test('prints a file byte for byte', async () => {
  const script = `printf '\\377\\0x' > $PROMPTQ_ATTACHMENTS/bytes`;
  const id = (await promptq('run', '--detach', '--profile', 'shell', script)).stdout.trim();
  await promptq('wait', id);
  // A byte that is no text in UTF-8 is read as U+FFFD here.
  expect((await promptq('api', 'GET', `/jobs/${id}/attachments/bytes`)).stdout).toBe('\uFFFD\0x');
});

test('refuses what it can see is wrong, and has the exit codes of all commands', async () => {
  const code = async (...args: string[]) => (await promptq('api', ...args)).code;
  expect(await promptq('api', 'GET', 'stats')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('begin with /'),
  });
  expect(await promptq('api', 'POST', '/jobs', '--data', '{prompt}')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('not JSON'),
  });
  expect(await promptq('api', 'FETCH', '/stats')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^promptq: .*Allowed choices are GET, POST/),
  });
  expect(await promptq('api', 'GET', '/nothing')).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('nothing at this path'),
  });
  expect(await code('POST', '/jobs', '--data', '{}', '--file', 'x')).toBe(2);
  expect(await code('POST', '/jobs', '--data', '{}')).toBe(2);
  expect(await code('GET', '/jobs/job_none')).toBe(4);
  expect(await code('GET', '/tokens')).toBe(5);
  expect((await run(['api', 'GET', '/stats'], { env: { PROMPTQ_TOKEN: 'pq_none' } })).code).toBe(5);
});

test('reads through a proxy that loses requests', async () => {
  const proxy = await startUnreliableProxy(service.baseUrl, { dropEach: 2 });
  const through = { env: { PROMPTQ_URL: proxy.url } };
  expect(await run(['api', 'GET', '/health'], through)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('"status"'),
  });
  await run(['api', 'GET', '/health'], through);
  expect(proxy.requests.length).toBeGreaterThan(2);
  await proxy.stop();
});
