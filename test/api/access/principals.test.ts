import { randomBytes } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { sign } from '@telegram-apps/init-data-node';
import createClient from 'openapi-fetch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TokenStore } from '../../../lib/access/tokens/token-store.ts';
import type { paths } from '../../../lib/client/api-types.ts';
import { SECURITY_HEADERS } from '../../../lib/contract/security-headers.ts';
import { withOperatorRegistry } from '../../../lib/local/operator/operator-registry.ts';
import { Browser } from '../../local-run/browser.ts';
import { OPERATORS_OWN } from '../../local-run/leaked-tokens.ts';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { runSettings } from '../../local-run/run-settings.ts';
import { createJob } from '../job-client.ts';

const PERIMETER = randomBytes(24).toString('hex');
const BOT = `110201543:${randomBytes(18).toString('hex')}`;
const JOB = { prompt: 'true', profile: 'shell', draft: true };

let home: string;
let service: OwnService;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  await mkdir(join(home, 'secrets'));
  await writeFile(join(home, 'secrets', 'perimeter-tokens'), `${PERIMETER}\n`, { mode: 0o600 });
  await writeFile(join(home, 'secrets', 'telegram-bot-token'), BOT, { mode: 0o600 });
  const env = { PROMPTQ_TELEGRAM_USERS: '17:viewer,18:operator', PROMPTQ_API_SCOPE_ENFORCE: '1' };
  service = await startService({
    home,
    env: { ...env, PROMPTQ_MAX_BODY_BYTES: '2000', PROMPTQ_ACCOUNT_VENDORS: 'none' },
  });
});
afterAll(async () => {
  await service.stop();
  await rm(home, { recursive: true, force: true });
});

const as = async (headers: Record<string, string>, method: string, path: string, body?: unknown) =>
  await service.api(method, path, body, { authorization: '', ...headers });
const telegram = (id: number, at = new Date()) => ({
  'x-telegram-init-data': sign({ user: { id, first_name: 'Ada' } }, BOT, at),
});
const perimeter = { 'x-perimeter-token': PERIMETER };

describe('the perimeter principal', () => {
  it('has every right except managing tokens', async () => {
    expect((await as(perimeter, 'POST', '/jobs', JOB)).status).toBe(201);
    expect((await as(perimeter, 'GET', '/audit-logs')).status).toBe(200);
    expect((await as(perimeter, 'GET', '/nowhere')).status).toBe(404);
  });

  it('is anonymous with another token', async () => {
    expect((await as({ 'x-perimeter-token': `${PERIMETER}x` }, 'GET', '/health')).status).toBe(401);
  });
});

describe('a Telegram user on the list', () => {
  it('may do what the role allows', async () => {
    expect((await as(telegram(17), 'GET', '/jobs')).status).toBe(200);
    const refused = await as(telegram(17), 'POST', '/jobs', JOB);
    expect([refused.status, refused.json.details]).toEqual([403, { required_scope: 'write' }]);
    expect((await as(telegram(18), 'POST', '/jobs', JOB)).status).toBe(201);
  });

  it('is anonymous an hour later, and so is a user who is not listed', async () => {
    expect((await as(telegram(17, new Date(Date.now() - 3_700_000)), 'GET', '/jobs')).status).toBe(401);
    expect((await as(telegram(19), 'GET', '/jobs')).status).toBe(401);
  });
});

describe('an action is audited', () => {
  it('with its actor, target, address and outcome, newest first', async () => {
    const id = await createJob(service, JOB);
    const cancelled = await as(perimeter, 'POST', `/jobs/${id}/cancel`);
    const refused = await as(telegram(18), 'POST', `/jobs/${id}/kill`);
    expect([cancelled.status, refused.status]).toEqual([200, 400]);
    const { json } = await service.api('GET', '/audit-logs?limit=2');
    const shared = { target: { id }, source_ip: '127.0.0.1' };
    expect(json.items).toMatchObject([
      { ...shared, actor: 'telegram:18', action: 'jobs.kill', status: 400 },
      { ...shared, actor: 'perimeter', action: 'jobs.cancel', status: 200 },
    ]);
    expect(json.items[1].request_id).toBe(cancelled.headers.get('x-request-id'));
    const filtered = await service.api(
      'GET',
      `/audit-logs?actor=perimeter&action=jobs.cancel&since=${json.items[1].at}`,
    );
    expect(filtered.json.items).toEqual([json.items[1]]);
  });

  it('with the names of what it created or imported', async () => {
    await service.api('POST', '/config/import', { rules: [{ id: 'audited-rule', text: 'Be brief.' }] });
    const { json } = await service.api('GET', '/audit-logs?action=config.import&limit=1');
    expect(json.items).toMatchObject([{ target: { rules: 'audited-rule' } }]);
  });

  it('unless it is unauthorized, a read or a creation', async () => {
    const rows = async () => (await service.api('GET', '/audit-logs')).json.items.length;
    const before = await rows();
    await as({}, 'POST', '/jobs/x/cancel');
    await as(telegram(17), 'POST', '/jobs/x/cancel');
    await createJob(service, JOB);
    expect(await rows()).toBe(before);
  });

  it.each(['since=yesterday', 'cursor=x'])('and %s is refused', async (query) => {
    const { status, json } = await service.api('GET', `/audit-logs?${query}`);
    expect([status, json.error]).toEqual([400, expect.stringMatching(/^query\./)]);
  });
});

describe('every answer', () => {
  const answers = async () => [
    await service.api('GET', '/health'),
    await service.api('GET', '/jobs/none'),
    await service.api('GET', '/jobs/none/logs'),
    await as({}, 'GET', '/health'),
    await service.api('POST', '/jobs', 'x'.repeat(3_000)),
    await service.api('OPTIONS', '/jobs', undefined, { origin: 'https://elsewhere.example' }),
  ];

  it('has an id, forbids caching and sniffing, and admits no other site', async () => {
    for (const { status, headers } of await answers()) {
      expect(headers.get('x-request-id'), String(status)).toMatch(/^[\w-]{8,}$/);
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) expect(headers.get(name)).toBe(value);
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });

  it('to a CORS preflight is the 404 of an unknown path', async () => {
    const preflight = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' };
    expect((await as(preflight, 'OPTIONS', '/jobs')).status).toBe(401);
    expect((await service.api('OPTIONS', '/jobs', undefined, preflight)).status).toBe(404);
  });
});

it('an unknown path requires the scope of its family before it answers 404', async () => {
  const { status, json } = await as(telegram(17), 'POST', '/terminal-sessions', {});
  expect([status, json.details]).toEqual([403, { required_scope: 'write' }]);
  expect((await as(telegram(18), 'POST', '/terminal-sessions', {})).json).toMatchObject({ error: 'not_found' });
  expect((await as(telegram(17), 'GET', '/terminal-sessions/7/output')).status).toBe(404);
  expect((await as(telegram(18), 'GET', '/nowhere')).json.details).toEqual({ required_scope: 'admin' });
});

it('a body over the limit gets 413 whatever its bytes are', async () => {
  const response = await fetch(`${service.baseUrl}/api/v1/jobs`, { method: 'POST', body: randomBytes(2_001) });
  expect([response.status, await response.json()]).toEqual([
    413,
    { error: 'Invalid request size', request_id: response.headers.get('x-request-id') },
  ]);
  // The limit counts bytes as sent, not characters.
  const fits = await fetch(`${service.baseUrl}/api/v1/jobs`, { method: 'POST', body: 'é'.repeat(1_000) });
  expect(fits.status).toBe(401);
});

it('a client made of openapi.json works', async () => {
  const client = createClient<paths>({
    baseUrl: service.baseUrl,
    headers: { authorization: `Bearer ${service.token}` },
  });
  const created = await client.POST('/api/v1/jobs', { body: JOB });
  const { data } = await client.GET('/api/v1/jobs/{id}/status', { params: { path: { id: created.data?.id ?? '' } } });
  expect(data?.status satisfies string | undefined).toBe('DRAFT');
  const { error } = await client.GET('/api/v1/jobs/{id}', { params: { path: { id: 'none' } } });
  expect(error?.error).toBe('job_not_found');
});

it('the account of a vendor that the deployment does not list is not found', async () => {
  for (const [method, path] of [
    ['GET', '/codex-account'],
    ['POST', '/codex-account/start'],
    ['DELETE', '/codex-account'],
  ] as const) {
    const { status, json } = await service.api(method, path);
    expect([status, json.error]).toEqual([404, 'not_found']);
  }
});

const INIT_DATA = sign({ user: { id: 18, first_name: 'Ada' } }, BOT, new Date());
/** Ends up in texts, output and audit rows: what finds it would find a secret too. */
const MARK = `mark-${randomBytes(8).toString('hex')}`;
it('no token, cookie, init data or shared secret is in any table, object, queue, log or answer', async () => {
  const suspended = await withOperatorRegistry({ stack: undefined, home }, async (registry) => {
    const tokens = new TokenStore(registry);
    const made = await tokens.create({ name: MARK, scopes: ['read'] });
    await tokens.setState(made.id, 'suspended');
    return made.token;
  });
  const browser = new Browser(service);
  await browser.signIn('admin');
  const made = (await browser.api('POST', '/tokens', { name: `${MARK} by session` })).json.token as string;
  const cookies = [...browser.cookies.values()].flatMap((jar) => [...jar]);
  // The session, and what the identity provider keeps its own by.
  const cookieValues = cookies.map(([, value]) => value).filter((value) => value.length >= 20);
  expect(cookieValues.length).toBeGreaterThanOrEqual(1);
  const clientSecret = (await readFile(join(home, 'oidc-client-secret'), 'utf8')).trim();
  const cookie = cookies.map(([name, value]) => `${name}=${value}`).join('; ');
  // Only browsers and the home have the host name of the run.
  const { host, hostname, origin } = new URL(service.consoleUrl);
  const answers = await useEverything([service.token, suspended, made], { cookie, host, origin });
  const hash = new URLSearchParams(INIT_DATA).get('hash') ?? '';
  const known = [
    service.token,
    suspended,
    made,
    PERIMETER,
    BOT,
    INIT_DATA,
    hash,
    clientSecret,
    hostname,
    ...cookieValues,
  ];
  const secrets = known.flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  ]);
  const places = [...kept(), ...(await queued()), ...answers, { place: 'printed', text: sayings() }];
  const found = places.filter(({ text }) => secrets.some((secret) => text.includes(secret)));
  expect(found.map(({ place }) => place)).toEqual([]);

  const marked = places.filter(({ text }) => text.includes(MARK)).map(({ place }) => place);
  for (const kind of [/^dynamodb\//, /^s3\//, /^GET \/jobs/])
    expect(marked.some((place) => kind.test(place))).toBe(true);
  expect(places.some(({ place, text }) => place === 'logs/api.log' && text.includes('refused'))).toBe(true);
  expect(places.filter(({ place }) => place === 'queue high')).toHaveLength(1);
});

/** Every credential, right and wrong, with secrets where they belong and where they don't. */
async function useEverything(tokens: readonly string[], session: Record<string, string>) {
  const said: { place: string; text: string }[] = [];
  const call = async (headers: Record<string, string>, method: string, path: string, body?: unknown) => {
    const answer = await service.api(method, path, body, { authorization: '', ...headers });
    said.push({ place: `${method} ${path.slice(0, 20)}`, text: answer.text + JSON.stringify([...answer.headers]) });
    return answer;
  };
  const ways = [
    ...tokens.flatMap((token) => [{ authorization: `Bearer ${token}` }, { 'x-api-token': token }]),
    { 'x-perimeter-token': PERIMETER },
    { 'x-telegram-init-data': INIT_DATA },
    { cookie: `promptq=${PERIMETER}` },
    session,
  ] as Record<string, string>[];
  const [token = ''] = tokens;
  for (const way of ways) {
    await call(way, 'GET', '/health');
    await call(way, 'GET', `/jobs?search=${token}`);
    await call(way, 'GET', `/jobs/${token}`);
    await call(way, 'POST', '/jobs', { prompt: MARK, [token]: 1 });
    await call(way, 'POST', '/jobs', { prompt: MARK, profile: token });
    await call(way, 'POST', '/jobs', `{"prompt": ${token}`);
    await call(way, 'GET', '/jobs/none/status');
    await call(way, 'GET', '/audit-logs');
    await call(way, 'DELETE', '/nowhere');
    const { json } = await call(way, 'POST', '/jobs', { prompt: `echo ${MARK}; env`, profile: 'shell' });
    if (json?.id === undefined) continue;
    await waitFor(async () => (await service.api('GET', `/jobs/${json.id}/status`)).json.terminal);
    await call(way, 'GET', `/jobs/${json.id}/result`);
    await call(way, 'POST', `/jobs/${json.id}/retry`);
    await call(way, 'POST', `/jobs/${json.id}/cancel`);
  }
  return said;
}

/** Everything that the run has written. */
function kept() {
  const files = globSync('**/*', { cwd: home }).filter((file) => !OPERATORS_OWN.test(file));
  return files.flatMap((file) => {
    try {
      const path = join(home, file);
      return statSync(path).isFile() ? [{ place: file, text: readFileSync(path, 'latin1') }] : [];
    } catch {
      // The running service deleted it meanwhile.
      return [];
    }
  });
}

async function queued() {
  const { environment } = JSON.parse(await readFile(join(home, 'operator.json'), 'utf8')) as {
    environment: Record<string, string>;
  };
  const client = new SQSClient({
    ...runSettings(environment),
    endpoint: environment.AWS_ENDPOINT_URL_SQS ?? '',
    useQueueUrlAsEndpoint: false,
  });
  const dumps = ['HIGH', 'NORMAL', 'LOW'].map(async (band) => {
    const read = new ReceiveMessageCommand({
      QueueUrl: environment[`QUEUE_URL_${band}`],
      MaxNumberOfMessages: 10,
      VisibilityTimeout: 0,
      WaitTimeSeconds: 0,
      MessageAttributeNames: ['All'],
    });
    return { place: `queue ${band.toLowerCase()}`, text: JSON.stringify(await client.send(read)) };
  });
  const read = await Promise.all(dumps);
  client.destroy();
  return read;
}

/** The program's output without the token and the console's address, which it prints on purpose. */
function sayings(): string {
  return service.output().replaceAll(service.token, '').replaceAll(service.consoleUrl, '');
}
