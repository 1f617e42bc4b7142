import { Logger } from '@aws-lambda-powertools/logger';
import type { Message, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DispatchQueues } from '../../../../lib/jobs/dispatch/dispatch-queues.ts';

const URLS = { high: 'queue/high', normal: 'queue/normal', low: 'queue/low' } as const;
const message = { v: 1, band: 'normal', project: 'p', job: 'job_1' } as const;

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
  { MessageId: 'e', ReceiptHandle: 'counted', Body: body() },
];

afterEach(() => vi.restoreAllMocks());

describe('a dispatch message', () => {
  it('is received if this version reads it, deleted if it is malformed, and left to later versions', async () => {
    const warn = vi.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const Attributes = { ApproximateReceiveCount: '3', SentTimestamp: '17' };
    const Messages = MESSAGES.map((one) => (one.ReceiptHandle === 'counted' ? { ...one, Attributes } : one));
    const { queues, inputs } = queuesUnderTest({ ReceiveMessage: () => ({ Messages }) });
    expect(await queues.receiveUpTo('normal', { most: 99, waitSeconds: 5 })).toEqual([
      { message, handle: 'good', receives: 1 },
      { message, handle: 'counted', receives: 3, sentAt: 17 },
    ]);
    expect(inputs('ReceiveMessage')).toMatchObject([{ MaxNumberOfMessages: 10, WaitTimeSeconds: 5 }]);
    expect(inputs('DeleteMessage')).toEqual([{ QueueUrl: URLS.normal, ReceiptHandle: 'bad' }]);
    // Once for each, however often it is received.
    await queues.receiveUpTo('normal', { most: 1, waitSeconds: 0 });
    expect(warn.mock.calls).toEqual([[expect.any(String), { what: 'permit c', schema: 2, known: 1 }]]);
  });
});
