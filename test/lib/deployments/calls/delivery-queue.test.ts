import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { DeliveryQueue, isNewerDelivery, parseDelivery } from '../../../../lib/deployments/calls/delivery-queue.ts';

const CALL = { job: 'job_1', attempt: 2, binding: 'app.call' } as const;

/** A queue, and what was sent to the service. */
function aQueue() {
  const sent: unknown[] = [];
  const send = async (command: unknown) => {
    if (command instanceof GetQueueAttributesCommand) {
      expect(command.input).toEqual({ QueueUrl: 'https://queues/calls', AttributeNames: ['RedrivePolicy'] });
      return { Attributes: { RedrivePolicy: '{"deadLetterTargetArn":"arn:aws:sqs:eu:1:calls-dead"}' } };
    }
    if (command instanceof GetQueueUrlCommand) return { QueueUrl: `https://queues/${command.input.QueueName}` };
    if (command instanceof SendMessageCommand || command instanceof ChangeMessageVisibilityCommand)
      sent.push(command.input);
    return {};
  };
  return { queue: new DeliveryQueue({ send } as unknown as SQSClient, 'https://queues/calls'), sent };
}

it('a call is sent so that its message can be read, and as a dead letter says that it was given up', async () => {
  const { queue, sent } = aQueue();
  await queue.send(CALL);
  await queue.moveToDeadLetters({ v: 1, ...CALL });
  const messages = sent as { QueueUrl: string; MessageBody: string }[];
  expect(messages.map(({ QueueUrl, MessageBody }) => [QueueUrl, parseDelivery(MessageBody)])).toEqual([
    ['https://queues/calls', { v: 1, ...CALL }],
    ['https://queues/calls-dead', { v: 1, ...CALL, given_up: true }],
  ]);
});

it.each([
  [0.2, 1],
  [60, 60],
  [-5, 0],
  [43_140, 43_140],
  [43_141, 43_140],
])(
  'a message that is to return after %s s is hidden for %s s: whole seconds, at most what the queue allows',
  async (seconds, hidden) => {
    const { queue, sent } = aQueue();
    await queue.postpone('handle', seconds);
    expect(sent).toEqual([{ QueueUrl: 'https://queues/calls', ReceiptHandle: 'handle', VisibilityTimeout: hidden }]);
  },
);

it.each<[body: string, isNewer: boolean]>([
  [JSON.stringify({ v: 2, ...CALL }), true],
  [JSON.stringify({ v: 2 }), true],
  [JSON.stringify({ v: 0, ...CALL }), false],
  [JSON.stringify({ ...CALL }), false],
  [JSON.stringify({ v: 1, job: 'job_1', attempt: 2 }), false],
  ['{"v":', false],
  ['null', false],
])('%s is no message of this version', (body, isNewer) => {
  expect([parseDelivery(body), isNewerDelivery(body)]).toEqual([undefined, isNewer]);
});

it('a message of this version is not newer', () => {
  expect(isNewerDelivery(JSON.stringify({ v: 1, ...CALL }))).toBe(false);
});
