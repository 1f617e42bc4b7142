import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../../lib/contract/routes/routes.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';

/** The machine-readable fields of an error response. */

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

const JOB = { prompt: 'true', profile: 'shell', draft: true };
const profile = (fields: object) => ({ profiles: [{ name: 'p', agent: 'shell', ...fields }] });

describe('one mistake is one fault', () => {
  const cases: [string, string, Record<string, unknown>, string][] = [
    ['a timeout of 0', '/jobs', { ...JOB, timeout: 0 }, 'body.timeout: received 0 (number); expected more than 0'],
    ['a timeout below 0', '/jobs', { ...JOB, timeout: -1 }, 'body.timeout: received -1 (number); expected more than 0'],
    [
      'an empty prompt',
      '/jobs',
      { ...JOB, prompt: '' },
      'body.prompt: received "" (string); expected a non-empty string',
    ],
    [
      'a prompt of whitespace',
      '/jobs',
      { ...JOB, prompt: ' \n\t\u00a0' },
      'body.prompt: received " \\n\\t\u00a0" (string); expected more than whitespace',
    ],
    [
      'a base_prompt of whitespace',
      '/jobs',
      { ...JOB, prompt: undefined, base_prompt: '   ' },
      'body.base_prompt: received "   " (string); expected more than whitespace',
    ],
    [
      'half a retry',
      '/jobs',
      { ...JOB, retries: 1.5 },
      'body.retries: received 1.5 (number); expected a whole number from 0 to 100',
    ],
    [
      'half a priority',
      '/jobs',
      { ...JOB, priority: 1.5 },
      'body.priority: received 1.5 (number); expected a whole number',
    ],
    [
      'half a second',
      '/deploy-bindings',
      { binding_mode: 'custom', command: 'true', timeout_seconds: 1.5 },
      'body.timeout_seconds: received 1.5 (number); expected a whole number from 1 to 3600',
    ],
  ];
  it.each(cases)('%s', async (_, path, body, error) => {
    const { status, json } = await service.api('POST', path, body);
    expect({ status, ...json }).toEqual({ status: 400, error, request_id: expect.any(String) });
  });

  it('an edit to a prompt of whitespace is rejected too', async () => {
    const { json: created } = await service.api('POST', '/jobs', JOB);
    const { status, json } = await service.api('PATCH', `/jobs/${created.id}`, { prompt: ' ' });
    expect([status, json.error]).toEqual([400, expect.stringContaining('expected more than whitespace')]);
  });
});

it.each([2 ** 53, 1e100, 1e126, 1e300, 1e-101, 1e-131, 5e-324])(
  'a profile with a timeout of %d, which the table cannot store, is rejected by an import and its dry run',
  async (timeout) => {
    for (const query of ['?dry_run=1', '']) {
      const { status, json } = await service.api('POST', `/config/import${query}`, profile({ timeout }));
      expect([query, status, json.error]).toEqual([
        query,
        400,
        expect.stringMatching(/^body\.profiles\[0\]\.timeout: /),
      ]);
    }
  },
);

it.each([2 ** 53 - 1, 1e-100, 0.5])('a profile with a timeout of %d is kept as it is', async (timeout) => {
  expect((await service.api('POST', '/config/import', profile({ timeout }))).status).toBe(200);
  const { json } = await service.api('GET', '/profiles');
  expect(json.items.find(({ name }: { name: string }) => name === 'p').timeout).toBe(timeout);
});

describe('an unknown method of a path is a 404 that names the known ones', () => {
  const cases: [string, string, string | null][] = [
    ['DELETE', '/jobs', 'GET, POST'],
    ['POST', '/health', 'GET'],
    ['POST', '/jobs/none', 'DELETE, GET, PATCH, PUT'],
    ['GET', '/jobs/none/cancel', 'POST'],
    ['GET', '/jobs/none/no-such-action', 'POST'],
    ['OPTIONS', '/projects/none', 'DELETE, PATCH'],
    ['GET', '/nowhere', null],
    ['DELETE', '/templates/7', null],
  ];
  it.each(cases)('%s %s', async (method, path, allow) => {
    const answer = await service.api(method, path);
    expect([answer.status, answer.json.error, answer.headers.get('allow')]).toEqual([404, 'not_found', allow]);
  });
});

describe('authentication', () => {
  const answerTo = (headers: Record<string, string>) =>
    service.api('GET', '/health', undefined, { authorization: '', ...headers });

  it('a 401 names the accepted credentials', async () => {
    const { status, headers } = await answerTo({});
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="promptq"']);
    expect((await answerTo({ 'x-api-token': service.token })).headers.get('www-authenticate')).toBeNull();
  });

  it('a wrong token beside a valid one is rejected, in either header', async () => {
    const [right, wrong] = [service.token, `${service.token.slice(0, -1)}_`];
    const status = async (bearer: string, header: string) =>
      (await answerTo({ authorization: `Bearer ${bearer}`, 'x-api-token': header })).status;
    expect(await status(right, right)).toBe(200);
    expect(await status(wrong, right)).toBe(401);
    expect(await status(right, wrong)).toBe(401);
  });
});

it('limits have names in snake case, and keep their former names', async () => {
  const { limits } = (await service.api('GET', '/environment')).json.service;
  expect(limits).toMatchObject({
    project_name_length: 100,
    projectNameLength: 100,
    deploy_bindings: { timeout_seconds: { min: 1, max: 3_600 }, url_length: 2_048 },
    deployBindings: { timeoutSeconds: { min: 1, max: 3_600 }, urlLength: 2_048 },
    retries: { min: 0, max: 100 },
  });
});

/** One byte more than a key of DynamoDB may have, in the second key of a table. */
const LONG = 'x'.repeat(1_025);
const inPath = routes.filter(({ path, only }) => path.includes('{') && only === undefined);

it.each(inPath)('$id answers an id that no key can have with not found', async ({ method, path, body }) => {
  const url = path.replaceAll(/\{[^}]+\}/g, LONG);
  const { status, text } = await service.api(method, url, body === undefined ? undefined : {});
  expect(status, text).toBe(404);
  expect(text).toContain('not_found');
});

/** The process of the emulator that works on a home. */
async function emulatorOf(home: string): Promise<number> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const [program, ...args] = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
    if (program?.endsWith('/dynoxide') && args.includes(join(home, 'dynamodb', 'ddb.sqlite'))) return Number(pid);
  }
  throw new Error('no emulator runs');
}

/** Stops a process. Its threads may answer until each has noticed the signal. */
async function pause(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await waitFor(async () => {
    const threads = await readdir(`/proc/${pid}/task`);
    const stats = await Promise.all(threads.map((id) => readFile(`/proc/${pid}/task/${id}/stat`, 'utf8')));
    // The name of a thread, in parentheses, comes before its state.
    return stats.every((stat) => stat.slice(stat.lastIndexOf(')') + 2).startsWith('T'));
  });
}

it('while the table is paused, requests end in time with a documented 503 that names it, and work again afterwards', async () => {
  const emulator = await emulatorOf(service.home);
  await pause(emulator);
  const answers = await Promise.all([
    service.api('GET', '/jobs'),
    service.api('GET', '/health'),
    service.api('POST', '/jobs', { prompt: 'true', profile: 'shell', draft: true }),
  ]).finally(() => process.kill(emulator, 'SIGCONT'));
  for (const { status, json, headers } of answers) {
    const refusal = { error: 'unavailable', details: { failed: ['table'] }, request_id: expect.any(String) };
    expect([status, json, headers.get('retry-after')]).toEqual([503, refusal, '5']);
  }
  expect((await service.api('GET', '/jobs')).status).toBe(200);
});
