import { randomBytes } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { sign } from '@telegram-apps/init-data-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TokenStore } from '../../../lib/access/tokens/token-store.ts';
import { withOperatorRegistry } from '../../../lib/local/operator/operator-registry.ts';
import { Browser } from '../../local-run/browser.ts';
import { OPERATORS_OWN } from '../../local-run/leaked-tokens.ts';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { runSettings } from '../../local-run/run-settings.ts';

const PERIMETER = randomBytes(24).toString('hex');
const BOT = `110201543:${randomBytes(18).toString('hex')}`;
const INIT_DATA = sign({ user: { id: 17, first_name: 'Ada' } }, BOT, new Date());
/** Ends up in texts, output and audit rows: what finds it would find a secret too. */
const MARK = `mark-${randomBytes(8).toString('hex')}`;

let home: string;
let service: OwnService;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  await mkdir(join(home, 'secrets'));
  await writeFile(join(home, 'secrets', 'perimeter-tokens'), PERIMETER, { mode: 0o600 });
  await writeFile(join(home, 'secrets', 'telegram-bot-token'), BOT, { mode: 0o600 });
  service = await startService({ home, env: { PROMPTQ_TELEGRAM_USERS: '17:operator' } });
});
afterAll(async () => {
  await service.stop();
  await rm(home, { recursive: true, force: true });
});

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
