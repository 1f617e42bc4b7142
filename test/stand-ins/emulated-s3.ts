import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
// Deep imports: fauxqs's own starter listens on every interface. The version is pinned for it.
import { buildApp } from '../../node_modules/fauxqs/dist/app.js';
import { FileS3Persistence } from '../../node_modules/fauxqs/dist/s3/fileS3Persistence.js';
import { S3Store } from '../../node_modules/fauxqs/dist/s3/s3Store.js';
import { SnsStore } from '../../node_modules/fauxqs/dist/sns/snsStore.js';
import { SqsStore } from '../../node_modules/fauxqs/dist/sqs/sqsStore.js';

/** An S3 on 127.0.0.1 with one bucket, in a temporary folder. */
export interface EmulatedS3 {
  readonly client: S3Client;
  readonly bucket: string;
  readonly endpoint: string;
  /** All keys, in order. */
  keys(prefix?: string): Promise<string[]>;
  stop(): Promise<void>;
}

export async function startEmulatedS3(): Promise<EmulatedS3> {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-s3-'));
  const s3Store = new S3Store();
  s3Store.persistence = new FileS3Persistence(folder);
  const app = buildApp({ logger: false, stores: { s3Store, sqsStore: new SqsStore(), snsStore: new SnsStore() } });
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 });
  const client = emulatedS3Client(endpoint);
  const bucket = 'outputs';
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return {
    client,
    bucket,
    endpoint,
    async keys(prefix) {
      const { Contents: objects = [] } = await client.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }),
      );
      return objects.map(({ Key: key }) => key ?? '');
    },
    async stop() {
      client.destroy();
      await app.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A client for an emulated S3, also of another process. `maxAttempts`: how often the SDK itself tries, default 3. */
export function emulatedS3Client(endpoint: string, maxAttempts = 3): S3Client {
  const credentials = { accessKeyId: 'emulated', secretAccessKey: 'emulated' };
  return new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials, maxAttempts });
}
