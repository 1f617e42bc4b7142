import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ListQueuesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { runSettings } from '../../local-run/run-settings.ts';
import { amount } from '../../vitest/amount.ts';

/** Milliseconds between reads of files and tables, and of queues, where a read counts as a receive of each message. */
const PAUSE = amount(100, 20);
const QUEUE_PAUSE = 250;

/**
 * Reads everything that a run stores, repeatedly, until it is stopped: files (with logs and objects), tables, the
 * queues' messages, which are in memory, and the output. It records whatever `like` matches, so that a secret that was
 * stored for a moment only, before the test knew it, is found too.
 * @param like global; matches may overlap if it is a lookahead with a group.
 */
export async function searchKept(service: ServiceUnderTest, like: RegExp) {
  const { environment } = JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8'));
  const settings = runSettings(environment);
  const dynamodb = new DynamoDBClient({ ...settings, endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB });
  const sqs = new SQSClient({ ...settings, endpoint: environment.AWS_ENDPOINT_URL_SQS });
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  /** Matches by place. */
  const found = new Map<string, Set<string>>();
  const note = (place: string, text: string) => {
    const matches = found.get(place) ?? new Set();
    for (const [whole, part = whole] of text.matchAll(like)) matches.add(part);
    found.set(place, matches);
  };

  const lookAtFiles = async () => {
    for (const entry of await readdir(service.home, { recursive: true, withFileTypes: true }).catch(() => [])) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      note(path, (await readFile(path).catch(() => Buffer.alloc(0))).toString('latin1'));
    }
  };
  const lookAtTables = async () => {
    for (const TableName of [environment.JOBS_TABLE, environment.REGISTRY_TABLE]) {
      const { Items } = await dynamodb.send(new ScanCommand({ TableName, ConsistentRead: true }));
      note(TableName, JSON.stringify(Items));
    }
  };
  const lookAtQueues = async () => {
    for (const QueueUrl of QueueUrls) {
      // Received, and at once visible again to the other receivers.
      const look = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0, WaitTimeSeconds: 0 };
      note(QueueUrl, JSON.stringify((await sqs.send(new ReceiveMessageCommand(look))).Messages ?? []));
    }
  };

  let isOver = false;
  let round = Promise.withResolvers<void>();
  const lookOn = async () => {
    let queuesAt = 0;
    while (!isOver) {
      const begun = round;
      round = Promise.withResolvers();
      note('printed', service.output());
      await Promise.all([lookAtFiles(), lookAtTables()]);
      if (performance.now() - queuesAt > QUEUE_PAUSE || asked) {
        asked = false;
        await lookAtQueues();
        queuesAt = performance.now();
      }
      begun.resolve();
      await pause(PAUSE);
    }
  };
  let asked = false;
  const looking = lookOn();

  return {
    /** Every place where a text was seen until now, including a read that starts now. */
    async slotsOf(text: string): Promise<string[]> {
      asked = true;
      await Promise.race([round.promise, looking]);
      return [...found].filter(([, matches]) => matches.has(text)).map(([place]) => place);
    },
    async stop(): Promise<void> {
      isOver = true;
      await looking;
      dynamodb.destroy();
      sqs.destroy();
    },
  };
}
