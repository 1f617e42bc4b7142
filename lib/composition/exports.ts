import { setTimeout as sleep } from 'node:timers/promises';
import type { S3Client } from '@aws-sdk/client-s3';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { AuditLog } from '../access/audit-log.ts';
import { type ExportFile, ExportObjects } from '../exports/export-objects.ts';
import type { ExportRecord } from '../exports/export-record.ts';
import { ExportStore } from '../exports/export-store.ts';
import { joinParts } from '../exports/join-parts.ts';
import { ProbeStore } from '../jobs/admission/probes.ts';
import { JobIndex } from '../jobs/store/job-index.ts';
import { JobLabelStore } from '../jobs/store/job-labels.ts';
import { JobMessageStore } from '../jobs/store/job-messages.ts';
import { ThreadStore } from '../jobs/threads/thread-store.ts';
import { TreeStore } from '../jobs/trees/tree-store.ts';
import { createCallLater } from '../platform/aws/call-later.ts';
import type { Clock } from '../platform/aws/table-clock.ts';
import type { MakeExportsEnv } from '../platform/config/function-env.ts';
import { registryOf } from '../platform/registry.ts';
import { ScalingStore } from '../workers/scaling/scaling-store.ts';
import { WhyWaiting } from '../workers/scaling/why-waiting.ts';
import { createFolders, createJobStore, createOutputStore } from './services.ts';

/** Dependencies for making exports. */
export function createExportMaking({
  table,
  clock,
  s3,
  env,
}: {
  readonly table: DynamoDBDocumentClient;
  readonly clock: Clock;
  readonly s3: S3Client;
  readonly env: Omit<MakeExportsEnv, 'MAKE_EXPORTS_FUNCTION'> & Partial<Pick<MakeExportsEnv, 'MAKE_EXPORTS_FUNCTION'>>;
}) {
  const registry = registryOf({ table, clock, env });
  return {
    clock,
    exports: new ExportStore(registry),
    objects: new ExportObjects(s3, env.OUTPUT_BUCKET),
    join: async (record: ExportRecord, file: ExportFile, header: string) =>
      await joinParts({ s3, bucket: env.OUTPUT_BUCKET }, record, file, header),
    wake: createCallLater('make-exports', env.MAKE_EXPORTS_FUNCTION),
    pause: async (milliseconds: number) => await sleep(milliseconds, undefined, { ref: false }),
    index: new JobIndex({ ...registry, jobsTable: env.JOBS_TABLE }),
    labels: new JobLabelStore(registry),
    threads: new ThreadStore(registry),
    trees: new TreeStore(registry),
    folders: createFolders({ env }),
    waiting: new WhyWaiting({ probes: new ProbeStore(registry), scaling: new ScalingStore(registry) }),
    timeoutUnit: env.PROMPTQ_TIMEOUT_UNIT,
    jobs: createJobStore({ table, clock, env }),
    messages: new JobMessageStore(registry),
    output: createOutputStore({ objects: s3, env }),
    // It only reads.
    audit: new AuditLog({ ...registry, log: { error: () => undefined } }),
  };
}
