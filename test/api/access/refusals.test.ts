import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../../lib/contract/routes/routes.ts';
import { type ServiceUnderTest, waitFor } from '../../local-run/local-service.ts';
import { sharedService } from '../../local-run/shared-service.ts';
import { createJob } from '../job-client.ts';

let service: ServiceUnderTest;
beforeAll(async () => {
  service = await sharedService();
});

/** An array of arrays. */
function nested(levels: number): unknown[] {
  return levels === 1 ? [] : [nested(levels - 1)];
}

const JOB = { prompt: 'true', profile: 'shell', draft: true };

describe('an invalid creation is rejected with a sentence that names the fault', () => {
  // `generated-requests` breaks every field of every body; these are rules that no schema states.
  const cases: [string, Record<string, unknown>, RegExp][] = [
    ['no prompt', { prompt: undefined }, /body\.prompt: is missing/],
    ['a prompt of whitespace', { prompt: ' \n\t\u00a0' }, /^body\.prompt: .*expected more than whitespace$/],
    [
      'two different prompts',
      { base_prompt: 'false' },
      /body\.prompt and body\.base_prompt: received two different texts/,
    ],
    ['an unknown field', { timout: 5 }, /body: unknown "timout"; allowed: .*timeout/],
    [
      'a folder above the workspace',
      { cwd: '../x' },
      /body\.cwd: received "\.\.\/x"; a relative folder must stay within/,
    ],
    [
      'a folder outside the roots',
      { cwd: '/etc' },
      /body\.cwd: received "\/etc"; an absolute folder must lie under one of/,
    ],
    ["a project's own folder", { cwd: '.' }, /body\.cwd: received "\."; no job works in the folder of a whole project/],
    [
      "another job's folder",
      { cwd: 'job_4k2q0v9m6s8x1c3b5n7h2j4d6f/x' },
      /body\.cwd: received "job_4k2q0v9m6s8x1c3b5n7h2j4d6f\/x"; the folder belongs to one job alone/,
    ],
    ['an unknown profile', { profile: 'nope' }, /body\.profile: received "nope"; there is no profile/],
    ['an unknown rule', { rule_ids: ['r1'] }, /body\.rule_ids: received "r1"; there is no rule/],
    ['two projects', { project: 'a', project_id: 'b' }, /body\.project and body\.project_id: received "a" and "b"/],
    ['a timeout that no table keeps', { timeout: 1e126 }, /body\.timeout: received 1e\+126 .*at most/],
    ['half a surrogate pair', { model: 'a\ud83d' }, /body\.model: received half of a surrogate pair/],
    ['a value nested far too deep', { rule_ids: nested(400) }, /nested too deep; 64 levels/],
  ];
  for (const [name, differences, sentence] of cases) {
    it(name, async () => {
      const { status, json } = await service.api('POST', '/jobs', { ...JOB, ...differences });
      expect({ status, error: json.error }).toEqual({ status: 400, error: expect.stringMatching(sentence) });
      expect(json.request_id).toEqual(expect.any(String));
    });
  }

  it('null in an optional field means that it is absent', async () => {
    const id = await createJob(service, { ...JOB, model: null, timeout: null, project: null });
    expect((await service.api('GET', `/jobs/${id}`)).json).toMatchObject({
      model: null,
      timeout: null,
      project_id: 'local_project',
    });
  });
});

describe('a body that is no JSON object is rejected with 400', () => {
  for (const body of ['', '[]', '{"prompt":"a"} x']) {
    it(JSON.stringify(body), async () => {
      const { status, json } = await service.api('POST', '/jobs', body);
      expect([status, json.error]).toEqual([400, expect.stringMatching(/^body: /)]);
    });
  }

  it('JSON under another media type is taken as JSON', async () => {
    const { status } = await service.api('POST', '/jobs', JSON.stringify(JOB), { 'content-type': 'text/plain' });
    expect(status).toBe(201);
  });
});

it('an invalid cursor, or one of another list, is rejected', async () => {
  const own = { id: 'job_1', created_at: '2026-11-20T10:00:00.000Z', list_key: 'jobs#0' };
  for (const cursor of [{}, [], 7, own, { ...own, list_key: 'x' }, { position: -1 }]) {
    const text = Buffer.from(JSON.stringify(cursor)).toString('base64url');
    for (const filter of ['status=DRAFT&', 'project=x&', ...(cursor === own ? [] : [''])]) {
      const { status, json } = await service.api('GET', `/jobs?${filter}cursor=${text}`);
      expect([filter, cursor, status, json.error]).toEqual([
        filter,
        cursor,
        400,
        expect.stringMatching(/^query\.cursor: received/),
      ]);
    }
  }
  const text = Buffer.from(JSON.stringify(own)).toString('base64url');
  expect((await service.api('GET', `/jobs?cursor=${text}`)).status).toBe(200);
});

describe('the order of checks', () => {
  const without = { authorization: '' };

  it('every request without a token gets 401', async () => {
    for (const [method, path, body] of [
      ['GET', '/nowhere', undefined],
      ['POST', '/jobs', '{'],
      ['GET', '/jobs/none', undefined],
    ] as const) {
      const { status, json } = await service.api(method, path, body, without);
      expect([method, path, status, json.error]).toEqual([method, path, 401, 'unauthorized']);
    }
  });

  it('an unknown job is job_not_found', async () => {
    for (const [method, path] of [
      ['GET', '/jobs/none'],
      ['GET', '/jobs/job_00000000000000000000000000/status'],
      ['GET', '/jobs/x/result'],
      ['GET', '/jobs/x/logs'],
    ] as const) {
      const { status, json } = await service.api(method, path);
      expect([path, status, json.error]).toEqual([path, 404, 'job_not_found']);
    }
  });

  it('an invalid parameter is rejected before the job is read', async () => {
    const { status, json } = await service.api('GET', '/jobs/none/status?wait=26');
    expect([status, json.error]).toEqual([
      400,
      'query.wait: received "26" (string); expected a whole number from 0 to 25',
    ]);
  });
});

describe('authentication', () => {
  const withToken = async (headers: Record<string, string>) =>
    (await service.api('GET', '/health', undefined, { authorization: '', ...headers })).status;

  it('a token in either header', async () => {
    expect(await withToken({ authorization: `Bearer ${service.token}` })).toBe(200);
    expect(await withToken({ authorization: `bearer ${service.token}` })).toBe(200);
    expect(await withToken({ 'x-api-token': service.token })).toBe(200);
  });

  it('rejects a wrong, shortened, mistyped or misplaced token', async () => {
    expect(await withToken({ authorization: service.token })).toBe(401);
    expect(await withToken({ authorization: `Basic ${service.token}` })).toBe(401);
    expect(await withToken({ authorization: `Bearer ${service.token.slice(0, -1)}` })).toBe(401);
    expect(await withToken({ 'x-api-token': `${service.token}x` })).toBe(401);
    expect(await withToken({ cookie: `token=${service.token}` })).toBe(401);
  });

  it('rejects a token in the URL, even beside a valid one', async () => {
    expect((await service.api('GET', `/health?token=${service.token}`)).status).toBe(401);
  });
});

it.each([
  ['X-API-Token', (token: string) => ['X-API-Token', token, 'X-API-Token', `${token}x`]],
  ['X-API-Token in two spellings', (token: string) => ['X-API-Token', `${token}x`, 'x-api-token', token]],
  ['the same X-API-Token', (token: string) => ['X-API-Token', token, 'X-API-Token', token]],
  ['Authorization', (token: string) => ['Authorization', 'Bearer bad', 'Authorization', `Bearer ${token}`]],
  [
    'Authorization of another scheme',
    (token: string) => ['Authorization', 'Basic YTpi', 'Authorization', `Bearer ${token}`],
  ],
  ['X-API-Token, joined by a proxy', (token: string) => ['X-API-Token', `bad, ${token}`]],
  ['Authorization, joined by a proxy', (token: string) => ['Authorization', `Bearer ${token}, Bearer bad`]],
  ['an empty X-API-Token', (token: string) => ['X-API-Token', '', 'X-API-Token', token]],
] as const)('a repeated credential header is rejected: %s', async (_, headersOf) => {
  const status = async (...headers: readonly string[]) => {
    const call = request(`${service.baseUrl}/api/v1/health`, {
      headers: ['Host', new URL(service.baseUrl).host, ...headers],
    });
    const [response] = (await once(call.end(), 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  expect(await status('X-API-Token', service.token, 'X-Other', 'a', 'X-Other', 'b')).toBe(200);
  expect(await status(...headersOf(service.token))).toBe(401);
});

const profile = (fields: object) => ({ profiles: [{ name: 'p', agent: 'shell', ...fields }] });

it('an edit to a prompt of whitespace is rejected', async () => {
  const { json: created } = await service.api('POST', '/jobs', JOB);
  const { status, json } = await service.api('PATCH', `/jobs/${created.id}`, { prompt: ' ' });
  expect([status, json.error]).toEqual([400, expect.stringContaining('expected more than whitespace')]);
});

it.each([2 ** 53, 5e-324])(
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

it.each([2 ** 53 - 1, 1e-100])('a profile with a timeout of %d is kept as it is', async (timeout) => {
  expect((await service.api('POST', '/config/import', profile({ timeout }))).status).toBe(200);
  const { json } = await service.api('GET', '/profiles');
  expect(json.items.find(({ name }: { name: string }) => name === 'p').timeout).toBe(timeout);
});

describe('an unknown method of a path is a 404 that names the known ones', () => {
  const cases: [string, string, string | null][] = [
    ['DELETE', '/jobs', 'GET, POST'],
    ['POST', '/jobs/none', 'DELETE, GET, PATCH, PUT'],
    ['GET', '/jobs/none/no-such-action', 'POST'],
    ['GET', '/nowhere', null],
  ];
  it.each(cases)('%s %s', async (method, path, allow) => {
    const answer = await service.api(method, path);
    expect([answer.status, answer.json.error, answer.headers.get('allow')]).toEqual([404, 'not_found', allow]);
  });
});

describe('a credential', () => {
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

it('limits are shown under their names in snake case and in camel case', async () => {
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
const inPath = routes.filter(({ path, auth }) => path.includes('{') && auth.only === undefined);

it.each(inPath)('$id answers 404 to an id longer than any key', async ({ method, path, body }) => {
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

it('requests get a 503 that names the table while it is paused, and succeed afterwards', async () => {
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
