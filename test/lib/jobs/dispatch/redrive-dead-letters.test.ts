import { GetQueueUrlCommand, ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
let deadLetters: string;
beforeAll(async () => {
  deployment = await emulateDeployment();
  const { QueueUrl = '' } = await deployment.queues.send(new GetQueueUrlCommand({ QueueName: 'promptq-low-dlq' }));
  deadLetters = QueueUrl;
});
afterAll(async () => await deployment.stop());

it('dead letters are put back into the queue of their band, and invalid ones are deleted', async () => {
  const bodies = Array.from({ length: 23 }, (_, n) =>
    JSON.stringify({ v: 1, band: 'low', project: 'p', job: `job ${n}` }),
  );
  for (const MessageBody of [...bodies, 'no message']) {
    await deployment.queues.send(new SendMessageCommand({ QueueUrl: deadLetters, MessageBody }));
  }
  expect(await deployment.dispatchQueues.redriveDeadLetters()).toBe(24);

  const back: string[] = [];
  for (
    let held = await deployment.dispatchQueues.receive('low', 0);
    held !== undefined;
    held = await deployment.dispatchQueues.receive('low', 0)
  ) {
    back.push(JSON.stringify(held.message));
  }
  expect(back.toSorted()).toEqual(bodies.toSorted());
  const left = await deployment.queues.send(new ReceiveMessageCommand({ QueueUrl: deadLetters, VisibilityTimeout: 0 }));
  expect(left.Messages ?? []).toEqual([]);
  expect(await deployment.dispatchQueues.redriveDeadLetters()).toBe(0);
});
