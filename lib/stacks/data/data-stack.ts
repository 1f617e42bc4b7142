import { CfnOutput, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { AttributeType, ProjectionType, StreamViewType, type TablePropsV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { LIMITS } from '../../contract/limits.ts';
import {
  BANDS,
  type Band,
  DELIVERIES,
  QUEUE,
  type QueueSpec,
  TABLES,
  type TableName,
  type TableSpec,
} from '../../platform/aws/tables.ts';

/** The resources that outlive every other stack: tables, queues and the output bucket. */
export class DataStack extends Stack {
  readonly tables: Readonly<Record<TableName, TableV2>>;
  readonly queues: Readonly<Record<Band, Queue>>;
  /** The signed calls of deploy bindings. */
  readonly deliveries: Queue;
  readonly output: Bucket;
  /** The folder for an operator's shared secrets: SSM SecureStrings, which the CDK can't create. */
  readonly secretsFolder: string;

  constructor(scope: Construct, id: string) {
    super(scope, id, {
      description: 'Promptq: tables, queues and output, which are kept',
      terminationProtection: true,
    });
    this.secretsFolder = `/${id}`;
    this.tables = {
      jobs: new TableV2(this, TABLES.jobs.id, tableProps(TABLES.jobs)),
      registry: new TableV2(this, TABLES.registry.id, tableProps(TABLES.registry)),
    };
    this.queues = {
      high: this.#queue('high', QUEUE),
      normal: this.#queue('normal', QUEUE),
      low: this.#queue('low', QUEUE),
    };
    this.deliveries = this.#queue('deliveries', DELIVERIES);
    this.output = this.#outputBucket();
    this.#makeTablesLast();
    this.#exportAll();
    new CfnOutput(this, 'JobsTableName', { value: this.tables.jobs.tableName });
    new CfnOutput(this, 'RegistryTableName', { value: this.tables.registry.tableName });
    new CfnOutput(this, 'OutputBucketName', { value: this.output.bucketName });
    new CfnOutput(this, 'DeliveriesQueueUrl', { value: this.deliveries.queueUrl });
    for (const band of BANDS) new CfnOutput(this, `${pascalCase(band)}QueueUrl`, { value: this.queues[band].queueUrl });
  }

  /** A table is protected from deletion, so a failed first deployment could not roll it back. */
  #makeTablesLast(): void {
    for (const table of Object.values(this.tables))
      table.node.addDependency(this.output, ...this.#allQueues().flatMap(({ queue, dead }) => [queue, dead]));
  }

  /**
   * Exports what later stacks may refer to, even if unused: an upgrade that stops using an export would otherwise
   * remove it here while later stacks still import it, and fail.
   */
  #exportAll(): void {
    const { jobs, registry } = this.tables;
    for (const { tableName, tableArn } of [jobs, registry])
      for (const one of [tableName, tableArn]) this.exportValue(one);
    this.exportValue(jobs.tableStreamArn);
    for (const { queue, dead } of this.#allQueues())
      for (const one of [queue.queueArn, queue.queueUrl, dead.queueArn]) this.exportValue(one);
    this.exportValue(this.deliveries.deadLetterQueue?.queue.queueName);
    for (const one of [this.output.bucketName, this.output.bucketArn]) this.exportValue(one);
  }

  #allQueues() {
    return [...Object.values(this.queues), this.deliveries].flatMap((queue) =>
      queue.deadLetterQueue === undefined ? [] : [{ queue, dead: queue.deadLetterQueue.queue }],
    );
  }

  /** A queue and its dead-letter queue. */
  #queue(name: Band | 'deliveries', spec: QueueSpec): Queue {
    const settings = {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.seconds(spec.messageRetention),
    };
    const deadLetters = new Queue(this, `${pascalCase(name)}DeadLetters`, settings);
    return new Queue(this, `${pascalCase(name)}Queue`, {
      ...settings,
      visibilityTimeout: Duration.seconds(spec.visibilityTimeout),
      receiveMessageWaitTime: Duration.seconds(spec.receiveWait),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: spec.maxReceiveCount },
    });
  }

  #outputBucket(): Bucket {
    const bucket = new Bucket(this, 'Output', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      // A worker killed during an upload leaves parts that are invisible but billed.
      lifecycleRules: [
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
        // Exports are deleted with their rows; this removes what an attempt stored for one that was deleted meanwhile.
        { prefix: 'exports/', expiration: Duration.days(LIMITS.exports.days + 1) },
      ],
    });
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'Every read goes through a function that logs who asked; a log of each object request would cost more.',
    });
    return bucket;
  }
}

function tableProps(spec: TableSpec): TablePropsV2 {
  return {
    ...keyProps(spec),
    globalSecondaryIndexes: spec.indexes.map(({ name, attributes, ...keys }) => ({
      indexName: name,
      ...keyProps(keys),
      ...(attributes === 'all'
        ? { projectionType: ProjectionType.ALL }
        : { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...attributes] }),
    })),
    ...(spec.stream && { dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES }),
    ...(spec.ttlAttribute !== undefined && { timeToLiveAttribute: spec.ttlAttribute }),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  };
}

function keyProps(keys: { readonly partitionKey: string; readonly sortKey?: string }) {
  return {
    partitionKey: { name: keys.partitionKey, type: AttributeType.STRING },
    ...(keys.sortKey !== undefined && { sortKey: { name: keys.sortKey, type: AttributeType.STRING } }),
  };
}

function pascalCase(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
