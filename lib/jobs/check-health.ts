import { HeadBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import type * as z from 'zod';
import type { health } from '../contract/schemas/service.ts';
import type { JobCounts, StatusCounts } from './counts.ts';
import type { PermitQueues } from './permit.ts';
import type { LiveWorkers } from './workers.ts';

type Checks = z.input<typeof health>['checks'];

/** What a health check looks at. */
export interface HealthContext {
  readonly counts: JobCounts;
  readonly permits: PermitQueues;
  readonly objects: S3Client;
  readonly bucket: string;
  readonly workers: LiveWorkers;
}

/** Looks at every part once; as cheap with a million jobs as with none. */
export async function checkHealth(
  context: HealthContext,
): Promise<{ status: 'ok' | 'degraded'; checks: Checks; counts: StatusCounts }> {
  const [table, queues, storage, workers] = await Promise.all([
    attempt(() => context.counts.read()),
    attempt(() => context.permits.check()),
    attempt(() => context.objects.send(new HeadBucketCommand({ Bucket: context.bucket }))),
    attempt(() => context.workers.count()),
  ]);
  const all = [table, queues, storage, workers];
  return {
    status: all.every((result) => result.check.status === 'ok') ? 'ok' : 'degraded',
    counts: table.value ?? { DRAFT: 0, QUEUED: 0, RUNNING: 0, SUCCEEDED: 0, FAILED: 0, CANCELLED: 0 },
    checks: {
      table: table.check,
      queues: queues.check,
      storage: storage.check,
      workers: { ...workers.check, ...(workers.value !== undefined && { live: workers.value }) },
    },
  };
}

async function attempt<T>(look: () => Promise<T>): Promise<{ value?: T; check: Checks['table'] }> {
  try {
    return { value: await look(), check: { status: 'ok' } };
  } catch (error) {
    return {
      check: {
        status: 'failed',
        message: `It did not answer as it should (${error instanceof Error ? error.name : 'unknown fault'}).`,
      },
    };
  }
}
