import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord, DynamoDBStreamEvent, AttributeValue as LambdaAttributeValue } from 'aws-lambda';
import * as z from 'zod';
import { tableClient } from '../../lib/aws/clients.ts';
import { readEnv, triggerEnv } from '../../lib/config/env.ts';
import { STATUSES } from '../../lib/contract/schemas/job.ts';
import { type JobChange, JobCounts } from '../../lib/jobs/counts.ts';

let counts: JobCounts | undefined;

/** The Jobs table's stream, in tumbling windows, which bring the shard's id: keeps the counts of jobs by state. */
export async function handler(
  event: DynamoDBStreamEvent & { readonly shardId: string; readonly state?: object },
): Promise<{ state: object }> {
  counts ??= new JobCounts(tableClient().table, readEnv(triggerEnv).REGISTRY_TABLE);
  await counts.apply(event.shardId, event.Records.map(changeOf));
  return { state: event.state ?? {} };
}

function changeOf({ dynamodb }: DynamoDBRecord): JobChange {
  return {
    sequence: dynamodb?.SequenceNumber ?? '0',
    before: statusOf(dynamodb?.OldImage),
    after: statusOf(dynamodb?.NewImage),
  };
}

const withStatus = z.object({ status: z.enum(STATUSES) });

function statusOf(image: Record<string, LambdaAttributeValue> | undefined): JobChange['before'] {
  if (image === undefined) return undefined;
  return withStatus.parse(unmarshall({ status: image.status } as Parameters<typeof unmarshall>[0])).status;
}
