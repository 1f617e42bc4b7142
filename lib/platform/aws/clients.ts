import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { requestLimits } from './request-limits.ts';
import { TableClock } from './table-clock.ts';
import { tableOutage } from './table-outage.ts';
import { THROTTLE_METRICS, throttleMetrics } from './throttles.ts';

// Loaded at the first throttle: it would slow down every start.
const emitThrottles = throttleMetrics(() => {
  void import('../operations/emit-metrics.ts').then(({ emitMetrics }) => emitMetrics({ StorageThrottles: 1 }));
});

/**
 * Removes what a client does for a logger, which it has not: it would copy each input and output for that, a fifth of a
 * request's CPU time.
 */
export function withoutLogger<Client extends { readonly middlewareStack: { remove(name: string): boolean } }>(
  client: Client,
): Client {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}

/** A table client, and the clock that its responses synchronise. */
export interface TableClient {
  readonly table: DynamoDBDocumentClient;
  readonly clock: TableClock;
}

/**
 * A DynamoDB client whose responses set the clock. The SDK reads endpoint and credentials from its environment
 * variables.
 */
export function tableClient(): TableClient {
  const client = withoutLogger(new DynamoDBClient({ maxAttempts: 4, requestHandler: requestLimits() }));
  client.middlewareStack.add(emitThrottles, THROTTLE_METRICS);
  const clock = new TableClock();
  clock.attach(client);
  tableOutage.attach(client);
  return { table: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }), clock };
}

export function queueClient(): SQSClient {
  const client = withoutLogger(new SQSClient({ maxAttempts: 4, requestHandler: requestLimits() }));
  client.middlewareStack.add(emitThrottles, THROTTLE_METRICS);
  return client;
}

/** `pathStyle`: puts the bucket's name into the path instead of the host. */
export function objectClient(options: { pathStyle: boolean }): S3Client {
  const requestHandler = requestLimits('objects');
  const client = withoutLogger(new S3Client({ forcePathStyle: options.pathStyle, maxAttempts: 4, requestHandler }));
  client.middlewareStack.add(emitThrottles, THROTTLE_METRICS);
  return client;
}
