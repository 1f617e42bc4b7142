import { once } from 'node:events';
import { request } from 'node:http';
import { CreateQueueCommand, ReceiveMessageCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ObjectsUnderTest, settings } from './objects-under-test.ts';

let objects: ObjectsUnderTest;

beforeEach(async () => {
  objects = await ObjectsUnderTest.start();
});

afterEach(async () => await objects.stop());

describe('queues', () => {
  let sqs: SQSClient;
  let QueueUrl: string | undefined;

  beforeEach(async () => {
    sqs = new SQSClient({ ...settings, endpoint: objects.emulator.endpoint });
    QueueUrl = (await sqs.send(new CreateQueueCommand({ QueueName: 'high' }))).QueueUrl;
  });

  test('a message taken by a long poll of a disconnected client is delivered to the next client', async () => {
    const { host, hostname, port } = new URL(objects.emulator.endpoint);
    const signer = new SignatureV4({ ...settings, service: 'sqs', sha256: Hash.bind(null, 'sha256') });
    const signed = await signer.sign({
      ...{ method: 'POST', protocol: 'http:', hostname, port: Number(port), path: '/' },
      headers: { host, 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.ReceiveMessage' },
      body: JSON.stringify({ QueueUrl, WaitTimeSeconds: 20, VisibilityTimeout: 600 }),
    });
    const { method, headers } = signed;
    const poll = request(objects.emulator.endpoint, { method, headers }).on('error', () => undefined);
    poll.end(signed.body);
    await once(poll, 'finish');
    // Answered after what came before it was taken in.
    await fetch(`${objects.emulator.endpoint}/health`);
    poll.destroy();
    await new Promise((resolve) => poll.once('close', resolve));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'for a living client' }));
    const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5 }));
    expect(Messages.map(({ Body }) => Body)).toEqual(['for a living client']);
  });
});
