import { GetQueueAttributesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { followQueue } from '../../../../lib/local/triggers/queue-trigger.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

it('messages go to the function of the queue and are deleted unless it reports them as failed', async () => {
  const { queues, env } = deployment;
  const QueueUrl = env.QUEUE_URL_DELIVERIES;
  for (const MessageBody of ['broken', 'good', 'failed'])
    await queues.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  const bodies: string[] = [];
  const logged: string[] = [];
  const records: SQSEvent['Records'] = [];
  let isFirst = true;
  const trigger = followQueue({
    endpoint: new URL(QueueUrl).origin,
    credentials: (await queues.config.credentials()) as never,
    queueUrl: QueueUrl,
    functionId: 'triggers.deliver',
    limitMs: 60_000,
    log: (line) => logged.push(line),
    handler: (async ({ Records }: SQSEvent) => {
      if (isFirst) {
        isFirst = false;
        await queues.send(new SendMessageCommand({ QueueUrl, MessageBody: 'later' }));
        throw new Error('the function failed');
      }
      records.push(...Records);
      bodies.push(...Records.map(({ body }) => body));
      const failed = Records.filter(({ body }) => body === 'failed');
      return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
    }) as never,
  });
  await expect.poll(() => bodies, { interval: 50 }).toContain('later');
  await trigger.stop();
  expect(logged).toEqual([expect.stringMatching(/^triggers\.deliver failed: Error: the function failed\n {4}at /)]);
  expect(records[0]).toMatchObject({
    eventSource: 'aws:sqs',
    eventSourceARN: expect.stringMatching(/^arn:aws:sqs:us-east-1:000000000000:[^/]+$/),
    attributes: { ApproximateReceiveCount: '1', SentTimestamp: expect.stringMatching(/^\d{13}$/) },
    receiptHandle: expect.stringMatching(/./),
  });
  const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const { Attributes } = await queues.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] }));
  // What the first call had got is still hidden, as after a failure in the cloud.
  expect(names.map((name) => Number(Attributes?.[name]))).toEqual([0, 3]);
});
