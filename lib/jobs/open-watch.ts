import { setTimeout as sleep } from 'node:timers/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SQSClient } from '@aws-sdk/client-sqs';
import type { TableClient } from '../aws/clients.ts';
import type { TriggerEnv } from '../config/env.ts';
import { type ClaimContext, readyIndex } from './claim.ts';
import { JobStore } from './job-store.ts';
import { OutputStore } from './output-store.ts';
import { PermitQueues } from './permit.ts';
import { statusIndex, type WatchContext } from './watch-jobs.ts';

/** What those need who claim jobs and look after running ones: the workers and watch-jobs. */
export function openWatch(
  from: TableClient & { readonly env: TriggerEnv; readonly objects: S3Client; readonly queues: SQSClient },
): WatchContext & ClaimContext & { readonly output: OutputStore } {
  const { env, table, clock } = from;
  const output = new OutputStore(from.objects, env.OUTPUT_BUCKET);
  return {
    jobs: new JobStore(table, env.JOBS_TABLE),
    permits: new PermitQueues(from.queues, {
      high: env.QUEUE_URL_HIGH,
      normal: env.QUEUE_URL_NORMAL,
      low: env.QUEUE_URL_LOW,
    }),
    clock,
    random: Math.random,
    pause: (milliseconds) => sleep(milliseconds),
    output,
    readReceipt: (jobId, attempt) => output.readReceipt(jobId, attempt),
    byStatus: statusIndex(table, env.JOBS_TABLE),
    readReady: readyIndex(table, env.JOBS_TABLE, clock),
  };
}
