import { GetQueueAttributesCommand, type GetQueueUrlCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { expect, it } from 'vitest';
import { checkQueues } from '../../../lib/doctor/stores/check-queues.ts';
import type { TriggerEnv } from '../../../lib/platform/config/function-env.ts';

const ENV = {
  ...{ QUEUE_URL_HIGH: 'url/high', QUEUE_URL_NORMAL: 'url/normal', QUEUE_URL_LOW: 'url/low' },
  QUEUE_URL_DELIVERIES: 'url/deliveries',
} as TriggerEnv;

/** Queues with these depths: waiting, in flight, delayed. Without, a queue has no attributes. */
function queuesOf(depths: Readonly<Record<string, readonly [number, number, number]>>): SQSClient {
  const send = async (command: GetQueueAttributesCommand | GetQueueUrlCommand) => {
    if (!(command instanceof GetQueueAttributesCommand)) return { QueueUrl: `url/${command.input.QueueName}` };
    const { QueueUrl = '', AttributeNames = [] } = command.input;
    const name = QueueUrl.slice('url/'.length);
    if (AttributeNames[0] === 'RedrivePolicy')
      return { Attributes: { RedrivePolicy: JSON.stringify({ deadLetterTargetArn: `arn:aws:sqs:r:1:${name}-dead` }) } };
    const [visible, inFlight, delayed] = depths[name] ?? [];
    const all: Record<string, unknown> = {
      ApproximateNumberOfMessages: visible,
      ApproximateNumberOfMessagesNotVisible: inFlight,
      ApproximateNumberOfMessagesDelayed: delayed,
    };
    if (visible === undefined) return {};
    return { Attributes: Object.fromEntries(AttributeNames.map((each) => [each, String(all[each])])) };
  };
  return { send } as unknown as SQSClient;
}

it('each queue is shown with its depth, and a dead letter is a warning', async () => {
  const found = await checkQueues(
    queuesOf({
      high: [1, 2, 3],
      low: [0, 0, 4],
      'normal-dead': [1, 0, 0],
      'low-dead': [0, 5, 0],
      'deliveries-dead': [2, 0, 0],
    }),
    ENV,
  );
  expect(found.map(({ check, state, message }) => `${state} ${check}: ${message}`)).toEqual([
    'ok queue high: 1 waiting, 2 in flight, 3 delayed',
    'ok queue normal: 0 waiting, 0 in flight, 0 delayed',
    'warning queue normal: 1 message among its dead letters',
    'ok queue low: 0 waiting, 0 in flight, 4 delayed',
    'ok queue deliveries: 0 waiting, 0 in flight, 0 delayed',
    'warning queue deliveries: 2 messages among its dead letters',
  ]);
  const [ofNormal, ofDeliveries] = found.filter(({ state }) => state === 'warning');
  expect(ofNormal?.advice).toContain('"A job stays QUEUED"');
  expect(ofDeliveries?.advice).toContain('"Dead letters of the deliveries queue"');
});
