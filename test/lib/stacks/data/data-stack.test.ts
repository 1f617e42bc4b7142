import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { BANDS, DELIVERIES, QUEUE, TABLES, type TableSpec } from '../../../../lib/platform/aws/tables.ts';
import { DataStack } from '../../../../lib/stacks/data/data-stack.ts';
import { policyDocument, resourcesOf, testApp } from '../synthesis.ts';

const stack = new DataStack(testApp(), 'data');

const keySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));
const tableSchema = z.object({
  BillingMode: z.literal('PAY_PER_REQUEST'),
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.literal('S') })),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: z
    .array(
      z.object({
        IndexName: z.string(),
        KeySchema: keySchema,
        Projection: z.object({ ProjectionType: z.string(), NonKeyAttributes: z.array(z.string()).optional() }),
      }),
    )
    .default([]),
  StreamSpecification: z.object({ StreamViewType: z.string() }).optional(),
  TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.boolean() }).optional(),
  Replicas: z.tuple([
    z.object({
      DeletionProtectionEnabled: z.literal(true),
      PointInTimeRecoverySpecification: z.object({ PointInTimeRecoveryEnabled: z.literal(true) }),
    }),
  ]),
});

function keysOf(schema: z.output<typeof keySchema>) {
  const name = (type: string) => schema.find(({ KeyType }) => KeyType === type)?.AttributeName;
  return { partitionKey: name('HASH'), ...(schema.length > 1 && { sortKey: name('RANGE') }) };
}

describe('the tables', () => {
  const tables = resourcesOf(stack, 'AWS::DynamoDB::GlobalTable');
  const specs: TableSpec[] = Object.values(TABLES);
  const tableOf = (spec: TableSpec) => {
    const found = [...tables].filter(([logicalId]) => logicalId.startsWith(spec.id));
    expect(found).toHaveLength(1);
    return tableSchema.parse(found[0]?.[1].Properties);
  };

  test('are exactly the listed ones', () => {
    expect(tables.size).toBe(specs.length);
  });

  test.each(specs)('have the keys, indexes, stream and expiry that the list gives $id', (spec) => {
    const table = tableOf(spec);
    expect(keysOf(table.KeySchema)).toEqual({
      partitionKey: spec.partitionKey,
      ...(spec.sortKey !== undefined && { sortKey: spec.sortKey }),
    });
    const indexes = table.GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
      name: IndexName,
      ...keysOf(KeySchema),
      attributes: Projection.ProjectionType === 'ALL' ? 'all' : Projection.NonKeyAttributes,
    }));
    expect(indexes).toEqual(spec.indexes);
    expect(table.StreamSpecification?.StreamViewType).toBe(spec.stream ? 'NEW_AND_OLD_IMAGES' : undefined);
    expect(table.TimeToLiveSpecification).toEqual(
      spec.ttlAttribute === undefined ? undefined : { AttributeName: spec.ttlAttribute, Enabled: true },
    );
  });
});

describe('the queues', () => {
  const queues = resourcesOf(stack, 'AWS::SQS::Queue');
  const redrive = z.object({
    deadLetterTargetArn: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
  });

  const wanted = [...BANDS.map((band) => [band, QUEUE] as const), ['deliveries', DELIVERIES] as const];

  test.each(wanted)(
    '%s move a message to their dead-letter queue after the listed number of receives',
    (name, spec) => {
      const [queue] = [...queues].filter(([id]) => id.toLowerCase().startsWith(`${name}queue`));
      expect(queue?.[1].Properties).toMatchObject({
        VisibilityTimeout: spec.visibilityTimeout,
        ReceiveMessageWaitTimeSeconds: spec.receiveWait,
        MessageRetentionPeriod: spec.messageRetention,
        SqsManagedSseEnabled: true,
        RedrivePolicy: { maxReceiveCount: spec.maxReceiveCount },
      });
      const [deadLetters] = redrive.parse(queue?.[1].Properties.RedrivePolicy).deadLetterTargetArn['Fn::GetAtt'];
      expect(deadLetters.toLowerCase()).toMatch(new RegExp(`^${name}deadletters`));
      expect(queues.get(deadLetters)?.Properties).toMatchObject({ MessageRetentionPeriod: spec.messageRetention });
    },
  );

  test('are one for each band and one for calls, each with a dead-letter queue', () => {
    expect(queues.size).toBe(2 * wanted.length);
  });
});

describe('the queues', () => {
  test('require TLS', () => {
    const policies = [...resourcesOf(stack, 'AWS::SQS::QueuePolicy').values()].map(({ Properties }) =>
      z.object({ PolicyDocument: policyDocument, Queues: z.array(z.object({ Ref: z.string() })) }).parse(Properties),
    );
    expect(policies.flatMap(({ Queues }) => Queues.map(({ Ref }) => Ref)).sort()).toEqual(
      [...resourcesOf(stack, 'AWS::SQS::Queue').keys()].sort(),
    );
    for (const { PolicyDocument } of policies)
      expect(PolicyDocument.Statement).toMatchObject([
        { effect: 'Deny', actions: ['sqs:*'], condition: { Bool: { 'aws:SecureTransport': 'false' } } },
      ]);
  });
});

describe('the bucket', () => {
  const [bucket] = resourcesOf(stack, 'AWS::S3::Bucket').values();

  test('is closed to the public and cleans up half-done uploads and exports', () => {
    expect(bucket?.Properties).toMatchObject({
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      LifecycleConfiguration: {
        Rules: [
          { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 }, Status: 'Enabled' },
          { Prefix: 'exports/', ExpirationInDays: 8, Status: 'Enabled' },
        ],
      },
    });
  });

  test('requires TLS', () => {
    const [policy] = resourcesOf(stack, 'AWS::S3::BucketPolicy').values();
    const { Statement } = policyDocument.parse(policy?.Properties.PolicyDocument);
    const denied = Statement.filter(({ effect }) => effect === 'Deny').map(({ condition }) => condition);
    expect(denied).toContainEqual({ Bool: { 'aws:SecureTransport': 'false' } });
    expect(denied).toContainEqual({ NumericLessThan: { 's3:TlsVersion': 1.2 } });
  });
});

test('all data is encrypted with keys that AWS owns, which cost nothing', () => {
  expect(resourcesOf(stack, 'AWS::KMS::Key').size).toBe(0);
  const [bucket] = resourcesOf(stack, 'AWS::S3::Bucket').values();
  expect(bucket?.Properties.BucketEncryption).toEqual({
    ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
  });
  for (const { Properties } of resourcesOf(stack, 'AWS::SQS::Queue').values())
    expect(Properties).toMatchObject({ SqsManagedSseEnabled: true });
  // A table that says nothing of encryption has AWS's own key.
  for (const { Properties } of resourcesOf(stack, 'AWS::DynamoDB::GlobalTable').values())
    expect(JSON.stringify(Properties)).not.toMatch(/SSESpecification|KMS/);
});

test('tables and bucket stay when the stack is deleted, which takes more than one command', () => {
  expect(stack.terminationProtection).toBe(true);
  const kept = [...resourcesOf(stack).values()].filter(({ Type }) => /GlobalTable|S3::Bucket$/.test(Type));
  expect(kept).toHaveLength(3);
  for (const resource of kept)
    expect(resource).toMatchObject({
      DeletionPolicy: expect.stringMatching(/^Retain/),
      UpdateReplacePolicy: 'Retain',
    });
});
