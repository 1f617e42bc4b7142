import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  type GlobalSecondaryIndex,
  type KeySchemaElement,
  ResourceInUseException,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { BucketAlreadyExists, BucketAlreadyOwnedByYou, CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import {
  BANDS,
  type Band,
  DELIVERIES,
  type IndexSpec,
  QUEUE,
  type QueueSpec,
  TABLES,
  type TableSpec,
} from '../../platform/aws/tables.ts';
import type { RunCredentials } from '../run-access/run-credentials.ts';

export const LOCAL_REGION = 'us-east-1';

export interface Endpoints {
  readonly dynamodb: string;
  /** For both SQS and S3. */
  readonly objectsAndQueues: string;
  /** The credentials of their callers. */
  readonly credentials: RunCredentials;
}

export interface Resources {
  readonly jobsTable: string;
  readonly registryTable: string;
  readonly outputBucket: string;
  readonly queueUrls: Readonly<Record<Band, string>>;
  /** The queue of signed calls. */
  readonly deliveriesUrl: string;
}

const BUCKET = 'promptq-output';

/** Creates the missing tables, queues and bucket of `lib/platform/aws/tables.ts`. */
export async function createResources(endpoints: Endpoints): Promise<Resources> {
  const settings = { region: LOCAL_REGION, credentials: endpoints.credentials };
  const dynamodb = new DynamoDBClient({ ...settings, endpoint: endpoints.dynamodb });
  const sqs = new SQSClient({ ...settings, endpoint: endpoints.objectsAndQueues });
  const s3 = new S3Client({ ...settings, endpoint: endpoints.objectsAndQueues, forcePathStyle: true });
  try {
    const [queueUrls, deliveriesUrl] = await Promise.all([
      createQueues(sqs),
      createQueue(sqs, 'deliveries', DELIVERIES),
      createBucket(s3),
      ...Object.values(TABLES).map(async (table) => await createTable(dynamodb, table)),
    ]);
    return {
      jobsTable: TABLES.jobs.id,
      registryTable: TABLES.registry.id,
      outputBucket: BUCKET,
      queueUrls,
      deliveriesUrl,
    };
  } finally {
    for (const client of [dynamodb, sqs, s3]) client.destroy();
  }
}

async function createTable(client: DynamoDBClient, table: TableSpec): Promise<void> {
  const keys = new Set([table, ...table.indexes].flatMap((spec) => [spec.partitionKey, spec.sortKey ?? []].flat()));
  const request = new CreateTableCommand({
    TableName: table.id,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [...keys].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keySchema(table),
    ...(table.indexes.length > 0 && { GlobalSecondaryIndexes: table.indexes.map(index) }),
    ...(table.stream && { StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' } }),
  });
  const existing = await client.send(new DescribeTableCommand({ TableName: table.id })).catch(() => undefined);
  if (existing?.Table !== undefined) return;
  await client.send(request).catch((error: unknown) => {
    if (!(error instanceof ResourceInUseException)) throw error;
  });
  await untilActive(client, table);
}

async function untilActive(client: DynamoDBClient, { id }: TableSpec): Promise<void> {
  await waitUntilTableExists({ client, maxWaitTime: 20, minDelay: 1, maxDelay: 1 }, { TableName: id });
}

function keySchema(spec: { partitionKey: string; sortKey?: string }): KeySchemaElement[] {
  const partition: KeySchemaElement = { AttributeName: spec.partitionKey, KeyType: 'HASH' };
  return spec.sortKey === undefined ? [partition] : [partition, { AttributeName: spec.sortKey, KeyType: 'RANGE' }];
}

function index(spec: IndexSpec): GlobalSecondaryIndex {
  const { attributes } = spec;
  const projection =
    attributes === 'all'
      ? { ProjectionType: 'ALL' as const }
      : { ProjectionType: 'INCLUDE' as const, NonKeyAttributes: [...attributes] };
  return { IndexName: spec.name, KeySchema: keySchema(spec), Projection: projection };
}

async function createQueues(client: SQSClient): Promise<Record<Band, string>> {
  const made = await Promise.all(BANDS.map(async (band) => [band, await createQueue(client, band, QUEUE)] as const));
  const urls = new Map(made);
  const url = (band: Band) => urls.get(band) ?? '';
  return { high: url('high'), normal: url('normal'), low: url('low') };
}

/** A queue and its dead-letter queue. */
async function createQueue(client: SQSClient, name: string, spec: QueueSpec): Promise<string> {
  const retention = { MessageRetentionPeriod: String(spec.messageRetention) };
  const dead = await client.send(new CreateQueueCommand({ QueueName: `promptq-${name}-dlq`, Attributes: retention }));
  const about = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: dead.QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  const redrive = { deadLetterTargetArn: about.Attributes?.QueueArn, maxReceiveCount: spec.maxReceiveCount };
  const queue = await client.send(
    new CreateQueueCommand({
      QueueName: `promptq-${name}`,
      Attributes: {
        ...retention,
        VisibilityTimeout: String(spec.visibilityTimeout),
        ReceiveMessageWaitTimeSeconds: String(spec.receiveWait),
        RedrivePolicy: JSON.stringify(redrive),
      },
    }),
  );
  if (queue.QueueUrl === undefined) throw new Error(`the emulator gave no URL for the queue ${name}`);
  return queue.QueueUrl;
}

async function createBucket(client: S3Client): Promise<void> {
  await client.send(new CreateBucketCommand({ Bucket: BUCKET })).catch((error: unknown) => {
    if (!(error instanceof BucketAlreadyOwnedByYou || error instanceof BucketAlreadyExists)) throw error;
  });
}
