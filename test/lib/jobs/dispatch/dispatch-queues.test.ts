import { Logger } from '@aws-lambda-powertools/logger';
import type { Message, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DispatchQueues, type ReceivedMessage } from '../../../../lib/jobs/dispatch/dispatch-queues.ts';

const URLS = { high: 'queue/high', normal: 'queue/normal', low: 'queue/low' } as const;
const message = { v: 1, band: 'normal', project: 'p', job: 'job_1' } as const;
const held = (handle: string): ReceivedMessage => ({ message, handle, receives: 1 });

interface Sent {
  readonly name: string;
  readonly input: Record<string, unknown>;
}

/** Queues whose service answers as given; dead-letter queues have the given batches. */
function queuesUnderTest(answers: Record<string, (input: Record<string, unknown>) => unknown> = {}) {
  const sent: Sent[] = [];
  const send = async (command: { readonly input: Record<string, unknown> }) => {
    const name = command.constructor.name.replace(/Command$/, '');
    sent.push({ name, input: command.input });
    return answers[name]?.(command.input) ?? {};
  };
  const queues = new DispatchQueues({ send } as unknown as SQSClient, URLS);
  const inputs = (of: string) => sent.filter(({ name }) => name === of).map(({ input }) => input);
  return { queues, sent, inputs, names: () => sent.map(({ name }) => name) };
}

const body = (more: object = {}) => JSON.stringify({ ...message, ...more });
const MESSAGES: readonly Message[] = [
  { MessageId: 'a', ReceiptHandle: 'good', Body: body() },
  { MessageId: 'b', Body: body() },
  { MessageId: 'c', ReceiptHandle: 'later', Body: body({ v: 2 }) },
  { MessageId: 'd', ReceiptHandle: 'bad', Body: 'no message' },
  { MessageId: 'e', ReceiptHandle: 'counted', Body: body({ deploy: true }) },
];

afterEach(() => vi.restoreAllMocks());

describe('a dispatch message', () => {
  it('is sent to the queue of its band, with a delay that the queue takes', async () => {
    const { queues, inputs } = queuesUnderTest();
    const job = { id: 'job_1', project_id: 'p', priority: 0 };
    await queues.send(job);
    await queues.send(job, { delaySeconds: 1.2 });
    await queues.send(job, { delaySeconds: 3_600, deploy: true });
    const common = { QueueUrl: URLS.normal, MessageGroupId: 'p' };
    expect(inputs('SendMessage')).toEqual([
      { ...common, MessageBody: body(), DelaySeconds: 0 },
      { ...common, MessageBody: body(), DelaySeconds: 2 },
      { ...common, MessageBody: body({ deploy: true }), DelaySeconds: 900 },
    ]);
  });

  it('is received if this version reads it, deleted if it is malformed, and left to later versions', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const Attributes = { ApproximateReceiveCount: '3', SentTimestamp: '17' };
    const Messages = MESSAGES.map((one) => (one.ReceiptHandle === 'counted' ? { ...one, Attributes } : one));
    const { queues, inputs } = queuesUnderTest({ ReceiveMessage: () => ({ Messages }) });
    expect(await queues.receiveUpTo('normal', { most: 99, waitSeconds: 5 })).toEqual([
      { message, handle: 'good', receives: 1 },
      { message: { ...message, deploy: true }, handle: 'counted', receives: 3, sentAt: 17 },
    ]);
    expect(inputs('ReceiveMessage')).toMatchObject([{ MaxNumberOfMessages: 10, WaitTimeSeconds: 5 }]);
    expect(inputs('DeleteMessage')).toEqual([{ QueueUrl: URLS.normal, ReceiptHandle: 'bad' }]);
    // Once for each, however often it is received.
    await queues.receiveUpTo('normal', { most: 1, waitSeconds: 0 });
    expect(warn.mock.calls).toEqual([[expect.any(String), { what: 'permit c', schema: 2, known: 1 }]]);
  });

  it('stays hidden, or comes again, after whole seconds, twelve hours at most', async () => {
    const { queues, inputs } = queuesUnderTest();
    await queues.extend(held('h'), 29.5);
    await queues.retryLater(held('h'), 1e9);
    await queues.release(held('h'));
    const seconds = inputs('ChangeMessageVisibility').map(({ VisibilityTimeout }) => VisibilityTimeout);
    expect(seconds).toEqual([30, 43_200, 0]);
  });

  it('is deleted once it was handled, with others in one request', async () => {
    const { queues, sent } = queuesUnderTest();
    await queues.acknowledgeAll('low', []);
    expect(sent).toEqual([]);
    await queues.acknowledge(held('a'));
    await queues.acknowledgeAll('low', [held('b')]);
    await queues.acknowledgeAll('low', [held('c'), held('d')]);
    const entries = ['c', 'd'].map((ReceiptHandle, at) => ({ Id: String(at), ReceiptHandle }));
    expect(sent).toEqual([
      { name: 'DeleteMessage', input: { QueueUrl: URLS.normal, ReceiptHandle: 'a' } },
      { name: 'DeleteMessage', input: { QueueUrl: URLS.low, ReceiptHandle: 'b' } },
      { name: 'DeleteMessageBatch', input: { QueueUrl: URLS.low, Entries: entries } },
    ]);
  });

  it('that could not be deleted with others is reported', async () => {
    const { queues } = queuesUnderTest({ DeleteMessageBatch: () => ({ Failed: [{ Id: '1', Message: 'busy' }] }) });
    await expect(queues.acknowledgeAll('low', [held('c'), held('d')])).rejects.toThrow('1 messages not deleted: busy');
  });
});

describe('dead letters', () => {
  function withDeadLetters(batches: Message[][]) {
    const policy = JSON.stringify({ deadLetterTargetArn: 'arn:aws:sqs:here:1:letters' });
    return queuesUnderTest({
      GetQueueAttributes: () => ({ Attributes: { RedrivePolicy: policy } }),
      GetQueueUrl: ({ QueueName }) => ({ QueueUrl: `queue/${QueueName}` }),
      ReceiveMessage: () => ({ Messages: batches.shift() }),
    });
  }

  it('are sent again before they are deleted, unless only later versions read them', async () => {
    vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const [good = {}, , later = {}, bad = {}] = MESSAGES;
    const { queues, names, inputs } = withDeadLetters([[good, { ...later, MessageId: 'f' }], [], [bad]]);
    expect(await queues.redriveDeadLetters()).toBe(2);
    expect(inputs('SendMessage')).toMatchObject([{ QueueUrl: URLS.normal, MessageBody: body(), DelaySeconds: 0 }]);
    expect(
      inputs('DeleteMessage')
        .map(({ ReceiptHandle }) => ReceiptHandle)
        .toSorted(),
    ).toEqual(['bad', 'good']);
    expect(names().filter((name) => /SendMessage|DeleteMessage/.test(name))[0]).toBe('SendMessage');
  });

  it('are read until there are none; where they are is asked once', async () => {
    const { queues, inputs } = withDeadLetters([]);
    for (let n = 0; n < 2; n += 1) expect(await queues.redriveDeadLetters()).toBe(0);
    expect(inputs('ReceiveMessage')).toHaveLength(6);
    expect(inputs('ReceiveMessage')[0]).toMatchObject({ QueueUrl: 'queue/letters' });
    expect(inputs('GetQueueUrl')).toHaveLength(3);
  });
});

it('a queue that does not answer is noticed', async () => {
  const outage = () => Promise.reject(new Error('no answer'));
  const { queues, sent } = queuesUnderTest({ GetQueueAttributes: outage });
  await expect(queues.check()).rejects.toThrow('no answer');
  expect(sent).toHaveLength(3);
});
