import { GetQueueAttributesCommand, GetQueueUrlCommand, type SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';

const redrivePolicySchema = z.object({ deadLetterTargetArn: z.string() });

/** The URL of a queue's dead-letter queue, from the queue's own attributes. */
export async function deadLettersOf(client: SQSClient, queueUrl: string): Promise<string | undefined> {
  const { Attributes } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ['RedrivePolicy'] }),
  );
  const { deadLetterTargetArn } = redrivePolicySchema.parse(JSON.parse(Attributes?.RedrivePolicy ?? ''));
  const QueueName = deadLetterTargetArn.slice(deadLetterTargetArn.lastIndexOf(':') + 1);
  return (await client.send(new GetQueueUrlCommand({ QueueName }))).QueueUrl;
}
