import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { TokenStore } from '../../../../lib/access/tokens/token-store.ts';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import type { JobTextStore } from '../../../../lib/jobs/store/job-texts.ts';
import { bundleFunctions } from '../../../../lib/stacks/functions/bundle-functions.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { openWorker } from '../../../stand-ins/emulated-worker.ts';

const ends: (() => Promise<unknown>)[] = [];
let deployment: EmulatedDeployment;
let texts: Pick<JobTextStore, 'get'>;
let token = '';
let folderOf: (functionId: string) => string;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-bundled-'));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  deployment = await emulateDeployment();
  ends.push(deployment.stop);
  // With its profiles.
  ({
    creation: { texts },
  } = await openWorker(deployment));
  ({ token } = await new TokenStore(deployment.registry).create({ name: 'test', scopes: ['admin'] }));
  ({ folderOf } = await bundleFunctions(folder, ['jobs.create', 'jobs.list', 'attachments.list']));
  for (const [name, value] of Object.entries(deployment.variables)) vi.stubEnv(name, value);
}, 120_000);
afterAll(async () => {
  vi.unstubAllEnvs();
  for (const end of ends.toReversed()) await end();
});

/** Makes a streaming handler answer as the others do. */
function collected(handler: (event: object, stream: PassThrough, context: object) => Promise<void>) {
  return async (event: object, context: object) => {
    const stream = new PassThrough();
    const body = text(stream);
    await handler(event, stream, context);
    return { ...heads.get(stream), body: await body };
  };
}
const heads = new WeakMap<PassThrough, object>();
const from = (stream: PassThrough, head: object) => {
  heads.set(stream, head);
  return stream;
};
vi.stubGlobal('awslambda', { streamifyResponse: collected, HttpResponseStream: { from } });

/** Calls a bundled function as API Gateway does. */
async function call(functionId: string, method: string, path: string, body?: unknown) {
  const { handler } = createRequire(import.meta.url)(join(folderOf(functionId), 'index.js')) as {
    handler: (event: object, context: object) => Promise<{ statusCode: number; body: string }>;
  };
  const id = /jobs\/([^/]+)/.exec(path)?.[1];
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await handler(
    {
      httpMethod: method,
      path,
      resource: path,
      headers,
      multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: id === undefined ? null : { id },
      body: body === undefined ? null : JSON.stringify(body),
      isBase64Encoded: false,
      requestContext: { requestId: 'test', identity: { sourceIp: '127.0.0.1' } },
    },
    { awsRequestId: 'test', getRemainingTimeInMillis: () => 29_000 },
  );
  return { status: answer.statusCode, body: JSON.parse(answer.body) as Record<string, unknown> };
}

test('bundled functions write and read tables, the queue and, on demand, objects', async () => {
  const long = 'x'.repeat(LIMITS.inlineSpecBytes + 1);
  for (const prompt of ['short', long]) {
    const created = await call('jobs.create', 'POST', '/api/v1/jobs', { prompt, profile: 'shell' });
    expect(created).toMatchObject({ status: 201 });
    const id = String(created.body.id);
    const job = await deployment.jobs.get(id, { consistent: true });
    if (job === undefined) throw new Error(`${id} is not in the table`);
    expect(await texts.get(job)).toMatchObject({ prompt });
    expect(await call('attachments.list', 'GET', `/api/v1/jobs/${id}/attachments`)).toMatchObject({ status: 200 });
  }
  expect((await call('jobs.list', 'GET', '/api/v1/jobs')).body.items).toHaveLength(2);
});

test('an input that is not allowed gets the same explanation as without a bundle', async () => {
  const refused = await call('jobs.create', 'POST', '/api/v1/jobs', { prompt: '', priority: 'highest' });
  expect(refused).toMatchObject({
    status: 400,
    body: { error: 'body.prompt: received "" (string); expected a non-empty string (and 1 more: details.faults)' },
  });
});
