import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, PAGE_TIMEOUT_MS } from '../../console/setup/browser.ts';
import { type OwnService, startService } from '../../local-run/local-service.ts';
import { runEnvironment, runSettings } from '../../local-run/run-settings.ts';
import { contentsOf, listeningPorts } from './run-listeners.ts';

/** A local run in which others of the machine, and web pages that its operator visits, try to get at something. */
const OBJECT = 'jobs/kept/kept.log';
const CONTENTS = 'what a job has printed';
let service: OwnService;
let environment: Readonly<Record<string, string>>;
let operator: { practice_url: string; practice_key: string };
let ports: number[];

beforeAll(async () => {
  const home = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  await chmod(home, 0o755);
  service = await startService({ home, env: { PROMPTQ_API_SCOPE_ENFORCE: '1' } });
  environment = await runEnvironment(home);
  operator = JSON.parse(await readFile(join(home, 'operator.json'), 'utf8'));
  await service.api('POST', '/jobs', { prompt: 'true', profile: 'shell', draft: true });
  const objects = s3();
  await objects.send(new PutObjectCommand({ Bucket: environment.OUTPUT_BUCKET, Key: OBJECT, Body: CONTENTS }));
  objects.destroy();
  ports = await listeningPorts(service);
});
afterAll(async () => {
  await service.stop({ keepHome: false });
});

function s3(settings = runSettings(environment)): S3Client {
  return new S3Client({ ...settings, endpoint: environment.AWS_ENDPOINT_URL_S3 ?? '', forcePathStyle: true });
}

/** Requests that change or show something if the sender is not authenticated. */
function attacks() {
  const scope = 'AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/dynamodb/aws4_request';
  const signed = { authorization: `${scope}, SignedHeaders=host, Signature=abc`, 'x-amz-date': '20260101T000000Z' };
  const json = { 'content-type': 'application/x-amz-json-1.0', ...signed };
  const bucket = `/${environment.OUTPUT_BUCKET}`;
  const item = { pk: { S: 'intruder' }, sk: { S: 'intruder' }, id: { S: 'intruder' }, kind: { S: 'token' } };
  const form = { 'content-type': 'text/plain' };
  const deletion = `<Delete><Object><Key>${OBJECT}</Key></Object></Delete>`;
  return [
    { method: 'POST', path: '/', headers: { ...json, 'x-amz-target': 'DynamoDB_20120810.ListTables' }, body: '{}' },
    {
      method: 'POST',
      path: '/',
      headers: { ...json, 'x-amz-target': 'DynamoDB_20120810.PutItem' },
      body: JSON.stringify({ TableName: environment.REGISTRY_TABLE, Item: item }),
    },
    {
      method: 'POST',
      path: '/',
      headers: { ...json, 'x-amz-target': 'DynamoDBStreams_20120810.ListStreams' },
      body: '{}',
    },
    { method: 'POST', path: '/', headers: { ...json, 'x-amz-target': 'AmazonSQS.ListQueues' }, body: '{}' },
    { method: 'GET', path: `${bucket}?list-type=2`, headers: {}, body: undefined },
    { method: 'GET', path: `${bucket}/${OBJECT}`, headers: {}, body: undefined },
    { method: 'DELETE', path: `${bucket}/${OBJECT}`, headers: {}, body: undefined },
    { method: 'POST', path: `${bucket}?delete`, headers: form, body: deletion },
    { method: 'OPTIONS', path: '/', headers: { 'access-control-request-method': 'POST' }, body: undefined },
    { method: 'GET', path: '/practice/state', headers: {}, body: undefined },
    { method: 'GET', path: '/practice/issuer', headers: {}, body: undefined },
    {
      method: 'PUT',
      path: '/practice/state',
      headers: { authorization: 'Bearer practice-vendor-key' },
      body: '{"logged_in":false}',
    },
    { method: 'GET', path: '/v1/models', headers: { authorization: 'Bearer practice-vendor-key' }, body: undefined },
    { method: 'GET', path: '/api/v1/jobs', headers: {}, body: undefined },
    { method: 'POST', path: '/api/v1/jobs', headers: form, body: '{"prompt":"true"}' },
  ];
}

/** The content of a response that proves access. */
const SECRETS = /TableNames|Streams"|QueueUrls|ListBucketResult|has printed|logged_in|device_codes|"models"|"items"/;

async function asNobody(url: string, attack: ReturnType<typeof attacks>[number], host?: string): Promise<string> {
  const given = [...Object.entries(attack.headers), ...(host === undefined ? [] : [['host', host]])];
  const headers = given.flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const body = attack.body === undefined ? [] : ['--data-binary', attack.body];
  const curl = ['curl', '--silent', '--max-time', '20', '-X', attack.method, ...headers, ...body, url];
  const { stdout } = await promisify(execFile)('setpriv', [
    ...['--reuid=65534', '--regid=65534', '--clear-groups'],
    ...curl,
  ]);
  return stdout;
}

test.runIf(process.getuid?.() === 0)(
  'another user of the machine reads and changes nothing on any port',
  async () => {
    expect(ports.length).toBeGreaterThanOrEqual(5);
    const before = await contentsOf(service);
    const shown: string[] = [];
    for (const port of ports)
      for (const attack of attacks()) {
        const answer = await asNobody(`http://127.0.0.1:${port}${attack.path}`, attack);
        if (SECRETS.test(answer)) shown.push(`${port} ${attack.method} ${attack.path}: ${answer}`);
      }
    expect(shown).toEqual([]);
    expect(await contentsOf(service)).toEqual(before);
  },
  300_000,
);

test('a foreign host, as a page sends after DNS rebinding, gets no answer', async () => {
  const { request } = await import('node:http');
  const statuses = await Promise.all(
    ports.map(async (port) => {
      const headers = { host: `evil.example:${port}`, authorization: `Bearer ${operator.practice_key}` };
      const sent = request({ port, host: '127.0.0.1', path: '/practice/state', headers }).end();
      const [answer] = await once(sent, 'response');
      answer.resume();
      return answer.statusCode;
    }),
  );
  expect(statuses).toEqual(ports.map(() => 403));
});

describe('a caller with', () => {
  const key = () => runSettings(environment).credentials;
  test.for([
    ['another key', () => ({ accessKeyId: 'local', secretAccessKey: 'local' })],
    ["the run's key and another secret", () => ({ ...key(), secretAccessKey: 'local' })],
  ] as const)('%s gets an error that names the fault', async ([, credentials]) => {
    const settings = { region: 'us-east-1', credentials: credentials(), maxAttempts: 1 };
    const tables = new DynamoDBClient({ ...settings, endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB ?? '' });
    const queues = new SQSClient({ ...settings, endpoint: environment.AWS_ENDPOINT_URL_SQS ?? '' });
    const refused = { name: expect.stringMatching(/^(InvalidAccessKeyId|SignatureDoesNotMatch)$/) };
    await expect(tables.send(new ListTablesCommand({}))).rejects.toMatchObject(refused);
    await expect(queues.send(new ListQueuesCommand({}))).rejects.toMatchObject(refused);
    const head = new HeadObjectCommand({ Bucket: environment.OUTPUT_BUCKET, Key: OBJECT });
    await expect(s3(settings).send(head)).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
  });
});

test('a home that others could enter is closed when a run starts on it', async () => {
  expect((await stat(service.home)).mode & 0o777).toBe(0o700);
});

describe('a web page', () => {
  let browser: Browser;
  let site: Server;
  beforeAll(async () => {
    browser = await launchBrowser(['--host-resolver-rules=MAP evil.test 127.0.0.1']);
    site = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>evil</title>');
    });
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
  });
  afterAll(async () => {
    await browser.close();
    site.close();
  });

  test.for(['evil.test', '127.0.0.1'])(
    'of %s reads and changes nothing on any port',
    { timeout: 300_000 },
    async (host) => {
      const before = await contentsOf(service);
      const page = await browser.newPage();
      page.setDefaultTimeout(PAGE_TIMEOUT_MS);
      await page.goto(`http://${host}:${(site.address() as AddressInfo).port}/`);
      const read = await page.evaluate(
        async ({ targets, tries }) => {
          const all = targets.flatMap((target) => tries.map((each) => ({ ...each, url: target + each.path })));
          const seen: string[] = [];
          for (const { url, method, headers, body } of all) {
            const open = { method, headers, ...(body !== undefined && { body }) };
            const simple = { ...open, headers: { 'content-type': 'text/plain' }, mode: 'no-cors' as const };
            await fetch(url, open).then(
              async (answer) => seen.push(`${method} ${url}: ${await answer.text()}`),
              () => undefined,
            );
            await fetch(url, simple).catch(() => undefined);
          }
          return seen;
        },
        { targets: ports.map((port) => `http://127.0.0.1:${port}`), tries: attacks() },
      );
      expect(read).toEqual([]);
      for (const port of ports) {
        await page.setContent(
          `<form method="post" enctype="text/plain" action="http://127.0.0.1:${port}/${environment.OUTPUT_BUCKET}?delete">` +
            `<input name="&lt;Delete a" value="'b'>&lt;Object>&lt;Key>${OBJECT}&lt;/Key>&lt;/Object>&lt;/Delete>"></form>`,
        );
        await Promise.all([
          page.waitForNavigation({ waitUntil: 'commit' }).catch(() => undefined),
          page.evaluate('document.forms[0].submit()'),
        ]);
        await page.goto(`http://${host}:${(site.address() as AddressInfo).port}/`);
      }
      await page.close();
      expect(await contentsOf(service)).toEqual(before);
    },
  );

  test('of the practice vendor still lets a person approve a login', async () => {
    const begun = await fetch(new URL('/api/accounts/deviceauth/usercode', operator.practice_url), {
      method: 'POST',
      body: '{}',
    });
    const { user_code } = (await begun.json()) as { user_code: string };
    const page = await browser.newPage();
    page.setDefaultTimeout(PAGE_TIMEOUT_MS);
    await page.goto(new URL('/codex/device', operator.practice_url).href);
    await page.locator('#user_code').fill(user_code);
    await page.locator('button[value=approve]').click();
    await page.locator('[role=status]').waitFor();
    await page.close();
  });
});
