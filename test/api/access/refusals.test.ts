import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnService, startService } from '../../local-run/local-service.ts';
import { createJob } from '../job-client.ts';

let service: OwnService;
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_MAX_BODY_BYTES: '2000', PROMPTQ_ACCOUNT_VENDORS: 'none' } });
});
afterAll(async () => {
  await service.stop();
});

/** An array of arrays. */
function nested(levels: number): unknown[] {
  return levels === 1 ? [] : [nested(levels - 1)];
}

const JOB = { prompt: 'true', profile: 'shell', draft: true };

it('the account of a vendor that the deployment does not list is not found', async () => {
  for (const [method, path] of [
    ['GET', '/codex-account'],
    ['POST', '/codex-account/start'],
    ['POST', '/codex-account/cancel'],
    ['DELETE', '/codex-account'],
  ] as const) {
    const { status, json } = await service.api(method, path);
    expect([status, json.error]).toEqual([404, 'not_found']);
  }
});

describe('an invalid creation is rejected with a sentence that names the fault', () => {
  const cases: [string, Record<string, unknown>, RegExp][] = [
    ['no prompt', { prompt: undefined }, /body\.prompt: is missing/],
    ['an empty prompt', { prompt: '' }, /body\.prompt: received "".*non-empty/],
    [
      'two different prompts',
      { base_prompt: 'false' },
      /body\.prompt and body\.base_prompt: received two different texts/,
    ],
    ['a prompt that is no string', { prompt: 7 }, /body\.prompt: received 7 \(number\); expected string/],
    ['an unknown field', { timout: 5 }, /body: unknown "timout"; allowed: .*timeout/],
    ['a priority that is no integer', { priority: 1.5 }, /body\.priority: received 1\.5/],
    [
      'a priority beyond safe integers',
      { priority: 2 ** 60 },
      /body\.priority: received 1152921504606847000 .*at most 9007199254740991/,
    ],
    ['a timeout of 0', { timeout: 0 }, /body\.timeout: received 0 .*above 0|more than 0/],
    ['too many retries', { retries: 101 }, /body\.retries: received 101 .*at most 100/],
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
    ['too long a project', { project: 'x'.repeat(101) }, /body\.project: received .*at most 100/],
    ['a timeout that no table keeps', { timeout: 1e126 }, /body\.timeout: received 1e\+126 .*at most/],
    ['a timeout next to nothing', { timeout: 1e-164 }, /body\.timeout: received 1e-164 .*at least 1e-100/],
    ['half a surrogate pair', { model: 'a\ud83d' }, /body\.model: received half of a surrogate pair/],
    ['half a surrogate pair in a list', { rule_ids: ['\ude00'] }, /body\.rule_ids\[0\]: received half of/],
    ['a value nested without end', { rule_ids: nested(30) }, /body\.rule_ids\[0\]: received .*; expected string/],
    ['a value nested far too deep', { rule_ids: nested(400) }, /nested too deep; 64 levels/],
    ['a profile too long to exist', { profile: 'x'.repeat(256) }, /body\.profile: received .*at most 255/],
    ['too long a model', { model: 'x'.repeat(256) }, /body\.model: received .*at most 255/],
    ['too many rules', { rule_ids: Array.from({ length: 101 }, () => 'r') }, /body\.rule_ids: received .*at most 100/],
    ['an empty idempotency key', { idempotency_key: '' }, /body\.idempotency_key: received ""/],
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
  for (const body of ['', '{', '[]', 'null', '"x"', '7', '{"prompt":"a"} x', '\u0000']) {
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
});

describe('the order of judgement', () => {
  const tooLarge = JSON.stringify({ ...JOB, prompt: 'x'.repeat(3_000) });
  const without = { authorization: '' };

  it('a body over the limit is 413 even without a token', async () => {
    const { status, json } = await service.api('POST', '/jobs', tooLarge, without);
    expect([status, json.error]).toEqual([413, 'Invalid request size']);
  });

  it('the limit counts bytes as sent, not characters', async () => {
    const body = (letter: string) => JSON.stringify({ ...JOB, prompt: letter.repeat(900) });
    expect((await service.api('POST', '/jobs', body('x'))).status).toBe(201);
    expect((await service.api('POST', '/jobs', body('\u20ac'))).status).toBe(413);
  });

  it('without a token everything else is 401', async () => {
    for (const [method, path, body] of [
      ['GET', '/nowhere', undefined],
      ['POST', '/jobs', '{'],
      ['GET', '/jobs/none', undefined],
    ] as const) {
      const { status, json } = await service.api(method, path, body, without);
      expect([method, path, status, json.error]).toEqual([method, path, 401, 'unauthorized']);
    }
  });

  it('an unknown job is job_not_found, an unknown path and method not_found', async () => {
    for (const [method, path] of [
      ['GET', '/jobs/none'],
      ['GET', '/jobs/job_00000000000000000000000000/status'],
      ['GET', '/jobs/x/result'],
      ['GET', '/jobs/x/logs'],
    ] as const) {
      const { status, json } = await service.api(method, path);
      expect([path, status, json.error]).toEqual([path, 404, 'job_not_found']);
    }
    for (const [method, path] of [
      ['GET', '/nowhere'],
      ['DELETE', '/jobs'],
      ['POST', '/health'],
      ['GET', '/jobs/a/b/c'],
    ] as const) {
      const { status, json } = await service.api(method, path);
      expect([path, status, json.error]).toEqual([path, 404, 'not_found']);
    }
  });

  it('a parameter is judged before the job is looked for', async () => {
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
] as const)('a header with a credential that is sent twice is refused: %s', async (_, headersOf) => {
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

it('every answer carries the id of its request', async () => {
  for (const [path, headers] of [
    ['/health', {}],
    ['/nowhere', {}],
    ['/health', { authorization: '' }],
  ] as const) {
    const answer = await service.api('GET', path, undefined, headers);
    expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]{8,}$/);
  }
});
