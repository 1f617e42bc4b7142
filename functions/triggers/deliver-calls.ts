import type { Logger } from '@aws-lambda-powertools/logger';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { createDelivery } from '../../lib/composition/services.ts';
import { isNewerDelivery, parseDelivery } from '../../lib/deployments/calls/delivery-queue.ts';
import { type DeliverContext, deliverCall } from '../../lib/deployments/deliver-call.ts';
import { queueClient, tableClient } from '../../lib/platform/aws/clients.ts';
import { deliverEnv } from '../../lib/platform/config/function-env.ts';
import { readEnv } from '../../lib/platform/config/read-env.ts';
import { handleTrigger } from '../../lib/platform/operations/serve-trigger.ts';

let context: DeliverContext | undefined;

/** Consumes the queue of signed calls and makes those that are due. The message of a call to retry stays hidden until then. */
export const handler = handleTrigger('deliver-calls', deliverCalls);

async function deliverCalls(event: SQSEvent, log: Logger): Promise<SQSBatchResponse> {
  context ??= createDelivery({ env: readEnv(deliverEnv), ...tableClient(), queues: queueClient() });
  const opened = context;
  const stays = async ({ body, messageId, receiptHandle }: SQSRecord): Promise<{ itemIdentifier: string }[]> => {
    const delivery = parseDelivery(body);
    if (delivery === undefined) return isNewerDelivery(body) ? [{ itemIdentifier: messageId }] : [];
    const about = { job_id: delivery.job, attempt: delivery.attempt, binding: delivery.binding };
    try {
      const seconds = await deliverCall(opened, delivery);
      log.info('processed a call', { ...about, ...(seconds !== undefined && { again_in_seconds: seconds }) });
      if (seconds === undefined) return [];
      await opened.deliveries.postpone(receiptHandle, seconds);
    } catch (error) {
      log.error('a call failed; its message will be received again', { ...about, error: error as Error });
    }
    return [{ itemIdentifier: messageId }];
  };
  return { batchItemFailures: (await Promise.all(event.Records.map(stays))).flat() };
}
