import type { S3Client } from '@aws-sdk/client-s3';
import { createJobStore } from '../../composition/job-stores.ts';
import { AttachmentStore } from '../../jobs/output/attachments/attachment-store.ts';
import type { JobStore } from '../../jobs/store/job-store.ts';
import { objectClient } from '../../platform/aws/clients.ts';
import type { Core } from './core.ts';

/** The services that read jobs' attachments. */
export function createAttachments(core: Core): { readonly jobs: JobStore; readonly attachments: AttachmentStore } {
  const objects = objectClient({ pathStyle: core.env.PROMPTQ_S3_PATH_STYLE });
  return { jobs: createJobStore(core), attachments: new AttachmentStore(objects, core.env.OUTPUT_BUCKET) };
}

/** The services that read the files that attempts kept. */
export function createFiles(core: Core): {
  readonly jobs: JobStore;
  readonly files: { readonly s3: S3Client; readonly bucket: string };
} {
  const s3 = objectClient({ pathStyle: core.env.PROMPTQ_S3_PATH_STYLE });
  return { jobs: createJobStore(core), files: { s3, bucket: core.env.OUTPUT_BUCKET } };
}
