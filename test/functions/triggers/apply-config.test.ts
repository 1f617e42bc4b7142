import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { CloudFormationCustomResourceEvent } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { handler } from '../../../functions/triggers/apply-config.ts';
import { exportConfig } from '../../../lib/catalog/catalog.ts';
import { startDynamodbEmulator } from '../../../lib/local/emulators/dynamodb-emulator.ts';
import { startObjectAndQueueEmulator } from '../../../lib/local/emulators/object-and-queue-emulator.ts';
import { localEnv } from '../../../lib/local/run/local-env.ts';
import { createResources } from '../../../lib/local/run/resources.ts';
import { newRunCredentials } from '../../../lib/local/run-access/run-credentials.ts';
import { objectClient, tableClient } from '../../../lib/platform/aws/clients.ts';
import { startReceiver } from '../../api/catalog/webhook-receiver.ts';

const ends: (() => Promise<unknown>)[] = [];
let cloudFormation: Awaited<ReturnType<typeof startReceiver>>;
let status: (earlier: number) => number = () => 200;
let env: ReturnType<typeof localEnv>;
let asked = 0;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  const credentials = newRunCredentials();
  const dynamodb = await startDynamodbEmulator({
    credentials,
    folder: join(folder, 'dynamodb'),
    env: {},
    log: () => undefined,
  });
  ends.push(() => dynamodb.stop());
  const others = await startObjectAndQueueEmulator(join(folder, 's3'), credentials);
  ends.push(() => others.close());
  const endpoints = { dynamodb: dynamodb.endpoint, objectsAndQueues: others.endpoint, credentials };
  env = localEnv(folder, await createResources(endpoints), endpoints, {});
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  cloudFormation = await startReceiver((_call, earlier) => [status(earlier)]);
  ends.push(() => cloudFormation.stop());
});
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
  vi.unstubAllEnvs();
});
beforeEach(() => {
  status = () => 200;
});

/** A deployment: CloudFormation's event with the document as an asset. @returns the response to CloudFormation. */
async function deploy(type: 'Create' | 'Update' | 'Delete', document: unknown) {
  asked += 1;
  const Bucket = env.OUTPUT_BUCKET ?? '';
  const Key = `asset-${asked}.json`;
  await objectClient({ pathStyle: true }).send(
    new PutObjectCommand({ Bucket, Key, Body: typeof document === 'string' ? document : JSON.stringify(document) }),
  );
  const path = `/answers/${asked}`;
  const common = {
    ServiceToken: 'arn:aws:lambda:eu-central-1:123456789012:function:apply',
    ResponseURL: `${cloudFormation.url}${path}`,
    StackId: 'arn:aws:cloudformation:eu-central-1:123456789012:stack/promptq-api/1',
    RequestId: `request-${asked}`,
    LogicalResourceId: 'ConfigDocument',
    ResourceType: 'Custom::PromptqConfig',
    ResourceProperties: {
      ServiceToken: 'arn:aws:lambda:eu-central-1:123456789012:function:apply',
      Bucket,
      Key,
      Digest: `${asked}`,
    },
  };
  const former = { PhysicalResourceId: 'ConfigDocument', OldResourceProperties: common.ResourceProperties };
  const event = { ...common, RequestType: type, ...(type !== 'Create' && former) };
  await handler(event as CloudFormationCustomResourceEvent);
  const calls = cloudFormation.to(path);
  return { calls, answer: JSON.parse(calls.at(-1)?.body ?? '') as Record<string, string>, requestId: common.RequestId };
}

async function stored() {
  return await exportConfig({ ...tableClient(), registryTable: env.REGISTRY_TABLE ?? '' });
}

const brief = { id: 'brief', name: 'brief', text: 'Be brief.' };
const deep = { name: 'deep', agent: 'codex', model: 'm-1' };

test('a deployment creates the rules and profiles of its document, and a second one changes nothing', async () => {
  const { calls, answer, requestId } = await deploy('Create', { rules: [brief], profiles: [deep] });
  expect(answer).toEqual({
    Status: 'SUCCESS',
    PhysicalResourceId: 'ConfigDocument',
    StackId: 'arn:aws:cloudformation:eu-central-1:123456789012:stack/promptq-api/1',
    RequestId: requestId,
    LogicalResourceId: 'ConfigDocument',
  });
  // The address that CloudFormation gives is signed for an empty one.
  expect(calls.map(({ headers }) => headers['content-type'])).toEqual(['']);
  const first = await stored();
  expect(first).toMatchObject({ rules: [brief], profiles: [deep] });
  expect((await deploy('Update', { rules: [brief], profiles: [deep] })).answer.Status).toBe('SUCCESS');
  expect(await stored()).toEqual(first);
});

test('a sandbox that the workers cannot provide fails the deployment with the reason', async () => {
  vi.stubEnv('PROMPTQ_SANDBOXES', 'none');
  const { answer } = await deploy('Create', { profiles: [{ ...deep, name: 'boxed', sandbox: 'read-only' }] });
  vi.stubEnv('PROMPTQ_SANDBOXES', undefined);
  expect(answer).toMatchObject({
    Status: 'FAILED',
    Reason: expect.stringMatching(/profiles\[0\]\.sandbox: received "read-only"; expected none: .*user namespaces/),
  });
});

test('what a document no longer names stays, as does everything when the stack is deleted', async () => {
  await deploy('Create', { rules: [brief], profiles: [deep] });
  await deploy('Update', { rules: [{ ...brief, text: 'Be very brief.' }] });
  const after = await stored();
  expect(after).toMatchObject({ rules: [{ id: 'brief', text: 'Be very brief.' }], profiles: [deep] });
  const { answer } = await deploy('Delete', 'no document at all');
  expect(answer).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId: 'ConfigDocument' });
  expect(await stored()).toEqual(after);
});

test.each([
  ['is not of the form', { rules: [brief, { id: 'x', text: 7 }] }, 'document.rules[1].text: received 7'],
  ['has members that do not exist', { profiles: [{ ...deep, modle: 'm' }] }, 'document.profiles[0]: unknown "modle"'],
  [
    'changes more than one import can',
    { rules: Array.from({ length: 100 }, (_, at) => ({ id: `r${at}`, text: 't' })) },
    'at most 99',
  ],
])('a document that %s fails the deployment with its fault, and changes nothing', async (_, document, fault) => {
  const before = await stored();
  const { answer } = await deploy('Update', document);
  expect(answer).toMatchObject({ Status: 'FAILED', Reason: expect.stringContaining(fault) });
  expect(await stored()).toEqual(before);
});

test('a response that CloudFormation does not accept is sent again', async () => {
  status = (earlier) => (earlier < 2 ? 503 : 200);
  const { calls, answer } = await deploy('Create', { rules: [brief] });
  expect([calls.length, answer.Status]).toEqual([3, 'SUCCESS']);
});
