import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DescribeTableCommand,
  DynamoDBClient,
  type GlobalSecondaryIndexUpdate,
  type KeySchemaElement,
  PutItemCommand,
  QueryCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb';
import { HeadBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DynamodbEmulator, startDynamodbEmulator } from '../../../../lib/local/emulators/dynamodb-emulator.ts';
import {
  type ObjectAndQueueEmulator,
  startObjectAndQueueEmulator,
} from '../../../../lib/local/emulators/object-and-queue-emulator.ts';
import { applyEnv, emulatorEnv, localEnv, workerProcessEnv } from '../../../../lib/local/run/local-env.ts';
import { createResources, type Endpoints, type Resources } from '../../../../lib/local/run/resources.ts';
import { newRunCredentials } from '../../../../lib/local/run-access/run-credentials.ts';
import { BANDS, DELIVERIES, FORMER_INDEXES, QUEUE, TABLES } from '../../../../lib/platform/aws/tables.ts';
import { apiEnv } from '../../../../lib/platform/config/api-env.ts';
import { readEnv } from '../../../../lib/platform/config/read-env.ts';
import { workerEnv } from '../../../../lib/platform/config/worker-env.ts';

let folder: string;
let dynamodb: DynamodbEmulator;
let objects: ObjectAndQueueEmulator;
let endpoints: Endpoints;
let resources: Resources;
const credentials = newRunCredentials();
const settings = { region: 'us-east-1', credentials };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'promptq-resources-'));
  dynamodb = await startDynamodbEmulator({
    credentials,
    folder: join(folder, 'dynamodb'),
    env: {},
    log: () => undefined,
  });
  objects = await startObjectAndQueueEmulator(join(folder, 's3'), credentials);
  endpoints = { dynamodb: dynamodb.endpoint, objectsAndQueues: objects.endpoint, credentials };
  resources = await createResources(endpoints);
});

afterAll(async () => {
  await objects.close();
  await dynamodb.stop();
  await rm(folder, { recursive: true, force: true });
});

test('the tables have the keys, indexes and stream of the data', async () => {
  const client = new DynamoDBClient({ ...settings, endpoint: endpoints.dynamodb });
  const { Table: jobs } = await client.send(new DescribeTableCommand({ TableName: resources.jobsTable }));
  expect(jobs?.KeySchema).toEqual([{ AttributeName: 'id', KeyType: 'HASH' }]);
  expect(jobs?.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' });
  const made = new Map(jobs?.GlobalSecondaryIndexes?.map((index) => [index.IndexName, index]));
  expect([...made.keys()].sort()).toEqual(TABLES.jobs.indexes.map(({ name }) => name).sort());
  for (const { name, partitionKey, sortKey, attributes } of TABLES.jobs.indexes) {
    expect(made.get(name)?.KeySchema?.map((key) => key.AttributeName)).toEqual([partitionKey, sortKey]);
    const carried = made.get(name)?.Projection;
    expect(carried?.ProjectionType === 'ALL' ? 'all' : carried?.NonKeyAttributes?.toSorted()).toEqual(
      attributes === 'all' ? 'all' : attributes.toSorted(),
    );
  }
  const { Table: registry } = await client.send(new DescribeTableCommand({ TableName: resources.registryTable }));
  expect(registry?.KeySchema?.map((key) => key.AttributeName)).toEqual(['kind', 'id']);
});

test('creating them again changes nothing and loses nothing', async () => {
  const client = new DynamoDBClient({ ...settings, endpoint: endpoints.dynamodb });
  await client.send(
    new PutItemCommand({ TableName: resources.registryTable, Item: { kind: { S: 'a' }, id: { S: 'b' } } }),
  );
  expect(await createResources(endpoints)).toEqual(resources);
  const { Count } = await client.send(
    new QueryCommand({
      TableName: resources.registryTable,
      KeyConditionExpression: 'kind = :a',
      ExpressionAttributeValues: { ':a': { S: 'a' } },
    }),
  );
  expect(Count).toBe(1);
});

const QUEUES = [...BANDS.map((band) => [band, QUEUE] as const), ['deliveries', DELIVERIES] as const];

test.each(QUEUES)('the queue %s has its times and its queue for undeliverable messages', async (name, spec) => {
  const client = new SQSClient({ ...settings, endpoint: endpoints.objectsAndQueues });
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({
      QueueUrl: name === 'deliveries' ? resources.deliveriesUrl : resources.queueUrls[name],
      AttributeNames: ['All'],
    }),
  );
  expect(Attributes).toMatchObject({
    VisibilityTimeout: String(spec.visibilityTimeout),
    ReceiveMessageWaitTimeSeconds: String(spec.receiveWait),
    MessageRetentionPeriod: String(spec.messageRetention),
  });
  expect(JSON.parse(Attributes?.RedrivePolicy ?? '')).toEqual({
    deadLetterTargetArn: `arn:aws:sqs:us-east-1:000000000000:promptq-${name}-dlq`,
    maxReceiveCount: spec.maxReceiveCount,
  });
});

test('the bucket exists', async () => {
  const client = new S3Client({ ...settings, endpoint: endpoints.objectsAndQueues, forcePathStyle: true });
  await client.send(new HeadBucketCommand({ Bucket: resources.outputBucket }));
});

test('the environment has every variable of functions and worker', () => {
  const accounts = { OPENAI_API_KEY: 'sk', ANTHROPIC_API_KEY: 'ak', CLAUDE_CODE_OAUTH_TOKEN: 'at' };
  const binaries = { PROMPTQ_CODEX_BIN: '/opt/codex', PROMPTQ_CLAUDE_BIN: '/opt/claude' };
  const source = {
    PATH: '/bin',
    HOME: '/home/x',
    SECRET: 'stays',
    PROMPTQ_CONCURRENCY: '3',
    ...accounts,
    ...binaries,
  };
  const block = localEnv('/home/x/.promptq', resources, endpoints, source);
  expect(readEnv(apiEnv, block).PROMPTQ_TIMEOUT_UNIT).toBe('seconds');
  const forWorker = {
    ...block,
    ...workerProcessEnv('/home/x/.promptq', { baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'k' }, source),
  };
  const read = readEnv(workerEnv, forWorker);
  expect(read).toMatchObject({
    PROMPTQ_CONCURRENCY: 3,
    PROMPTQ_WORK_DIR: '/home/x/.promptq/worker',
    ...accounts,
    ...binaries,
  });
  expect(Object.keys(forWorker)).not.toContain('SECRET');
});

test("the emulator's processes find programs and Node's compile cache, and inherit nothing else", () => {
  const source = { PATH: '/bin', NODE_COMPILE_CACHE: '/cache', OPENAI_API_KEY: 'sk', AWS_PROFILE: 'production' };
  expect(emulatorEnv('/h', source)).toEqual({
    PROMPTQ_RUN_HOME: '/h',
    PATH: '/bin',
    NODE_COMPILE_CACHE: '/cache',
  });
});

test('no AWS setting of the user stays in the environment', () => {
  const target: Record<string, string | undefined> = {
    AWS_PROFILE: 'production',
    AWS_SESSION_TOKEN: 'x',
    PATH: '/bin',
  };
  applyEnv(localEnv('/h', resources, endpoints, {}), target);
  expect(
    Object.keys(target)
      .filter((name) => name.startsWith('AWS_'))
      .sort(),
  ).toEqual([
    'AWS_ACCESS_KEY_ID',
    'AWS_CONFIG_FILE',
    'AWS_ENDPOINT_URL_DYNAMODB',
    'AWS_ENDPOINT_URL_DYNAMODB_STREAMS',
    'AWS_ENDPOINT_URL_S3',
    'AWS_ENDPOINT_URL_SQS',
    'AWS_REGION',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SHARED_CREDENTIALS_FILE',
  ]);
  expect(target.PATH).toBe('/bin');
});

test('a home of an earlier version gets the indexes of this one, with its jobs', async () => {
  const client = new DynamoDBClient({ ...settings, endpoint: endpoints.dynamodb });
  const TableName = resources.jobsTable;
  const describe = async () => (await client.send(new DescribeTableCommand({ TableName }))).Table;
  const { AttributeDefinitions } = (await describe()) ?? {};
  const change = async (update: GlobalSecondaryIndexUpdate) =>
    await client.send(
      new UpdateTableCommand({ TableName, AttributeDefinitions, GlobalSecondaryIndexUpdates: [update] }),
    );
  for (const { name, partitionKey, sortKey, attributes } of FORMER_INDEXES) {
    await change({ Delete: { IndexName: `${name}-2` } });
    const KeySchema: KeySchemaElement[] = [
      { AttributeName: partitionKey, KeyType: 'HASH' },
      { AttributeName: sortKey, KeyType: 'RANGE' },
    ];
    const Projection = { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...attributes] };
    await change({ Create: { IndexName: name, KeySchema, Projection } });
  }
  const keys = { list_key: { S: 'jobs#0' }, status_key: { S: 'FAILED#0' }, created_at: { S: '2026-11-20' } };
  await client.send(new PutItemCommand({ TableName, Item: { id: { S: 'job_former' }, ...keys } }));
  await createResources(endpoints);
  const names = (await describe())?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName);
  expect(names?.sort()).toEqual(TABLES.jobs.indexes.map(({ name }) => name).sort());
  const { Items } = await client.send(
    new QueryCommand({
      TableName,
      IndexName: 'by-time-2',
      KeyConditionExpression: 'list_key = :key',
      ExpressionAttributeValues: { ':key': keys.list_key },
    }),
  );
  expect(Items).toContainEqual(expect.objectContaining({ id: { S: 'job_former' } }));
  client.destroy();
});
