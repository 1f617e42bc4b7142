import { join } from 'node:path';
import { HeadBucketCommand, type S3Client } from '@aws-sdk/client-s3';
import type * as z from 'zod';
import type { health } from '../contract/schemas/service.ts';
import type { JobCounts, StatusCounts } from '../counters/counts.ts';
import type { DispatchQueues } from '../jobs/dispatch/dispatch-queues.ts';
import { DiskFullError, probeDisk } from '../platform/operations/probe-disk.ts';
import type { LiveWorkers } from '../workers/live-workers.ts';

type Checks = z.input<typeof health>['checks'];

/** Dependencies of a health check. */
export interface HealthContext {
  readonly counts: JobCounts;
  readonly dispatchQueues: DispatchQueues;
  readonly objects: S3Client;
  readonly bucket: string;
  readonly workers: LiveWorkers;
  /** Only in the local run: its home directory, to whose disk all components write. */
  readonly home?: string | undefined;
}

/** Milliseconds that a component may take to answer. */
const CHECK_TIMEOUT_MS = 5_000;

/** Checks every component once. Its cost does not depend on the number of jobs. */
export async function checkHealth(
  context: HealthContext,
): Promise<{ status: 'ok' | 'degraded'; checks: Checks; counts: StatusCounts }> {
  const { home } = context;
  const probe = async (folder: string, what: string) => {
    if (home !== undefined) await probeDisk(join(home, folder), what);
  };
  const [disk, counts, queues, storage, workers] = await Promise.all([
    attempt(() => probe('dynamodb', 'the database')),
    // A table whose disk is full can still be read.
    attempt(() => context.counts.read()),
    attempt(() => context.dispatchQueues.check()),
    attempt(async () => {
      await probe('s3', 'the objects');
      await context.objects.send(new HeadBucketCommand({ Bucket: context.bucket }));
    }),
    attempt(async () => {
      await probe('worker', "the worker's files");
      await probe('workspaces', 'the workspaces');
      return await context.workers.count();
    }),
  ]);
  const table = disk.check.status === 'ok' ? counts : disk;
  const all = [table, queues, storage, workers];
  return {
    status: all.every((result) => result.check.status === 'ok') ? 'ok' : 'degraded',
    counts: counts.value ?? { DRAFT: 0, QUEUED: 0, RUNNING: 0, SUCCEEDED: 0, FAILED: 0, CANCELLED: 0 },
    checks: {
      table: table.check,
      queues: queues.check,
      storage: storage.check,
      workers: { ...workers.check, ...(workers.value !== undefined && { live: workers.value }) },
    },
  };
}

async function attempt<T>(probe: () => Promise<T>): Promise<{ value?: T; check: Checks['table'] }> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DOMException('no answer', 'TimeoutError')), CHECK_TIMEOUT_MS);
  try {
    return { value: await Promise.race([probe(), timedOut]), check: { status: 'ok' } };
  } catch (error) {
    return { check: { status: 'failed', message: describeFault(error) } };
  } finally {
    clearTimeout(timer);
  }
}

function describeFault(error: unknown): string {
  if (error instanceof DiskFullError) return error.message;
  return `It did not answer as it should (${error instanceof Error ? error.name : 'unknown fault'}).`;
}
