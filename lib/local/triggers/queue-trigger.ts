import { setTimeout as delay } from 'node:timers/promises';
import { DeleteMessageCommand, type Message, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod';
import type { FunctionHandler } from '../gateway/gateway-invocation.ts';
import { lambdaContext } from '../gateway/gateway-invocation.ts';
import { LOCAL_REGION } from '../run/resources.ts';
import type { RunCredentials } from '../run-access/run-credentials.ts';

interface QueueTriggerOptions {
  readonly endpoint: string;
  readonly credentials: RunCredentials;
  readonly queueUrl: string;
  readonly functionId: string;
  readonly handler: FunctionHandler;
  /** Time limit of a call in milliseconds. */
  readonly limitMs: number;
  readonly log: (line: string) => void;
}

interface QueueTrigger {
  /** Waits for the call in progress. */
  stop(): Promise<void>;
}

const MESSAGES_PER_RECEIVE = 10;
const WAIT_SECONDS = 20;
const FAILURE_PAUSE_MS = 1_000;

const answerSchema = z.object({ batchItemFailures: z.array(z.object({ itemIdentifier: z.string() })) });

/**
 * Calls a handler with a queue's messages, as Lambda's event source mapping does: all that it doesn't report as failed
 * are deleted.
 */
export function followQueue(options: QueueTriggerOptions): QueueTrigger {
  const { endpoint, credentials, queueUrl, functionId, handler, limitMs, log } = options;
  const client = new SQSClient({ endpoint, region: LOCAL_REGION, credentials });
  const stopped = new AbortController();
  const { signal } = stopped;

  const take = async () => {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl: queueUrl,
        MaxNumberOfMessages: MESSAGES_PER_RECEIVE,
        WaitTimeSeconds: WAIT_SECONDS,
        MessageSystemAttributeNames: ['All'],
      }),
      { abortSignal: signal },
    );
    if (Messages.length === 0) return;
    const event: SQSEvent = { Records: Messages.map((message) => recordOf(message, queueUrl)) };
    const answer = answerSchema.parse(await handler(event, lambdaContext(functionId, limitMs)));
    const failed = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    for (const { MessageId, ReceiptHandle } of Messages)
      if (!failed.has(MessageId ?? ''))
        await client.send(new DeleteMessageCommand({ QueueUrl: queueUrl, ReceiptHandle }));
  };

  const running = (async () => {
    while (!signal.aborted) {
      try {
        await take();
      } catch (error) {
        if (signal.aborted) break;
        log(`${functionId} failed: ${error instanceof Error ? error.stack : String(error)}`);
        await delay(FAILURE_PAUSE_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  })();
  return {
    stop: async () => {
      stopped.abort();
      await running;
      client.destroy();
    },
  };
}

function recordOf({ MessageId, ReceiptHandle, Body, Attributes }: Message, queueUrl: string): SQSRecord {
  return {
    messageId: MessageId ?? '',
    receiptHandle: ReceiptHandle ?? '',
    body: Body ?? '',
    attributes: {
      ApproximateReceiveCount: Attributes?.ApproximateReceiveCount ?? '1',
      SentTimestamp: Attributes?.SentTimestamp ?? '0',
      SenderId: Attributes?.SenderId ?? 'local',
      ApproximateFirstReceiveTimestamp: Attributes?.ApproximateFirstReceiveTimestamp ?? '0',
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: `arn:aws:sqs:${LOCAL_REGION}:000000000000:${queueUrl.slice(queueUrl.lastIndexOf('/') + 1)}`,
    awsRegion: LOCAL_REGION,
  };
}
