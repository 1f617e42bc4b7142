import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { queueUrls } from '../../jobs/dispatch/dispatch-queues.ts';
import { deadLettersOf } from '../../platform/aws/dead-letters.ts';
import { BANDS } from '../../platform/aws/tables.ts';
import type { TriggerEnv } from '../../platform/config/function-env.ts';
import { counted, type Finding, ok, warning } from '../finding.ts';

const DEPTHS = [
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
] as const;

/** What a queue's dead letters mean, and what to do. */
const DEAD_LETTERS = {
  dispatchQueues:
    'reconcile-jobs puts them back every minute: if they stay, it does not run (see its log). Runbook, "A job stays QUEUED".',
  deliveries: 'Signed calls that failed for good. Runbook, "Dead letters of the deliveries queue".',
} as const;

/** Checks the depth of each queue, and its dead letters. */
export async function checkQueues(client: SQSClient, env: TriggerEnv): Promise<Finding[]> {
  const urls = queueUrls(env);
  const bands = BANDS.map((band) => ({ name: `queue ${band}`, url: urls[band], advice: DEAD_LETTERS.dispatchQueues }));
  const deliveries = { name: 'queue deliveries', url: env.QUEUE_URL_DELIVERIES, advice: DEAD_LETTERS.deliveries };
  return (await Promise.all([...bands, deliveries].map(async (queue) => await checkQueue(client, queue)))).flat();
}

async function checkQueue(
  client: SQSClient,
  { name, url, advice }: { name: string; url: string; advice: string },
): Promise<Finding[]> {
  const [visible, inFlight, delayed] = await depthsOf(client, url);
  const dead = await deadLettersOf(client, url);
  const [lying = 0] = dead === undefined ? [] : await depthsOf(client, dead);
  return [
    ok(name, `${visible} waiting, ${inFlight} in flight, ${delayed} delayed`),
    ...(lying > 0 ? [warning(name, `${counted(lying, 'message')} among its dead letters`, advice)] : []),
  ];
}

async function depthsOf(client: SQSClient, url: string): Promise<number[]> {
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...DEPTHS] }),
  );
  return DEPTHS.map((name) => Number(Attributes[name] ?? 0));
}
