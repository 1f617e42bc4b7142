import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { z } from 'zod';
import { aroundEveryRequest } from './every-request.ts';

/** Amounts by what they were for. */
export type Amounts = ReadonlyMap<string, number>;

/** What was used since the meter began. */
export interface Usage {
  /** Write request units by table and index. */
  readonly writes: Amounts;
  /** Read request units by table and index. */
  readonly reads: Amounts;
  /** DynamoDB requests by command. */
  readonly requests: Amounts;
  /** S3 requests by command. */
  readonly s3: Amounts;
  /** SQS requests by command. */
  readonly sqs: Amounts;
}

const units = z.object({ CapacityUnits: z.number() });
const capacity = z.object({
  TableName: z.string(),
  Table: units.optional(),
  GlobalSecondaryIndexes: z.record(z.string(), units).optional(),
});
const answer = z.object({
  output: z.object({ ConsumedCapacity: z.union([capacity.transform((one) => [one]), z.array(capacity)]).optional() }),
});

const WRITES = /^(Put|Update|Delete|BatchWrite|TransactWrite)/;

/** Counts what clients use, by middleware that also has DynamoDB say what it charges. */
export class Meter {
  #usage = nothing();

  constructor(clients?: { table: DynamoDBDocumentClient; objects: S3Client; queues: SQSClient }) {
    if (clients === undefined) return;
    this.#meterTable(clients.table);
    this.#meterRequests(clients.objects, 's3');
    this.#meterRequests(clients.queues, 'sqs');
  }

  /** Counts what all clients of this process use, wherever they are created. */
  static ofProcess(): Meter {
    const meter = new Meter();
    const metered = new WeakSet<object>();
    aroundEveryRequest(async (client, send) => {
      const isNew = !metered.has(client);
      metered.add(client);
      if (isNew && client instanceof DynamoDBDocumentClient) meter.#meterTable(client);
      if (isNew && client instanceof S3Client) meter.#meterRequests(client, 's3');
      if (isNew && client instanceof SQSClient) meter.#meterRequests(client, 'sqs');
      return await send();
    });
    return meter;
  }

  #meterTable(client: DynamoDBDocumentClient): void {
    client.middlewareStack.add(
      (next, context) => async (args) => {
        const { commandName = 'unknown' } = context;
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'INDEXES' } });
        add(this.#usage.requests, commandName, 1);
        const charged = WRITES.test(commandName) ? this.#usage.writes : this.#usage.reads;
        for (const { TableName, Table, GlobalSecondaryIndexes = {} } of answer.parse(result).output.ConsumedCapacity ??
          []) {
          if (Table) add(charged, TableName, Table.CapacityUnits);
          for (const [index, { CapacityUnits }] of Object.entries(GlobalSecondaryIndexes))
            add(charged, `${TableName}/${index}`, CapacityUnits);
        }
        return result;
      },
      { step: 'initialize', name: 'meter' },
    );
  }

  #meterRequests(client: S3Client | SQSClient, service: 's3' | 'sqs'): void {
    const middleware =
      (next: (args: never) => Promise<never>, context: { commandName?: string }) => async (args: never) => {
        add(this.#usage[service], context.commandName ?? 'unknown', 1);
        return await next(args);
      };
    (client as S3Client).middlewareStack.add(middleware as never, { step: 'initialize', name: 'meter' });
  }

  /** What was used since the meter was made or last taken from. */
  take(): Usage {
    const usage = this.#usage;
    this.#usage = nothing();
    return usage;
  }
}

/** The sum of all amounts. */
export function sum(amounts: Amounts): number {
  return amounts.values().reduce((total, amount) => total + amount, 0);
}

function nothing() {
  const empty = () => new Map<string, number>();
  return { writes: empty(), reads: empty(), requests: empty(), s3: empty(), sqs: empty() };
}

function add(amounts: Map<string, number>, name: string, amount: number): void {
  if (amount > 0) amounts.set(name.replace(/Command$/, ''), (amounts.get(name.replace(/Command$/, '')) ?? 0) + amount);
}
