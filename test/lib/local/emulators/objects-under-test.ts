import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import {
  type ObjectAndQueueEmulator,
  startObjectAndQueueEmulator,
} from '../../../../lib/local/emulators/object-and-queue-emulator.ts';
import { newRunCredentials } from '../../../../lib/local/run-access/run-credentials.ts';

export const MIB = 1024 * 1024;
export const Bucket = 'output';
const credentials = newRunCredentials();
export const settings = { region: 'us-east-1', credentials };

/** The emulator on a temporary folder, with a bucket and a client. */
export class ObjectsUnderTest {
  readonly folder: string;
  emulator: ObjectAndQueueEmulator;
  s3: S3Client;
  readonly logged: string[] = [];

  private constructor(folder: string, emulator: ObjectAndQueueEmulator) {
    this.folder = folder;
    this.emulator = emulator;
    this.s3 = clientOf(emulator);
  }

  static async start(): Promise<ObjectsUnderTest> {
    const folder = await mkdtemp(join(tmpdir(), 'promptq-objects-'));
    const objects = new ObjectsUnderTest(folder, await startObjectAndQueueEmulator(folder, credentials));
    await objects.s3.send(new CreateBucketCommand({ Bucket }));
    return objects;
  }

  async restart(): Promise<void> {
    await this.emulator.close();
    this.emulator = await startObjectAndQueueEmulator(this.folder, credentials, (line) => this.logged.push(line));
    this.s3 = clientOf(this.emulator);
  }

  async stop(): Promise<void> {
    await this.emulator.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  async put(Key: string, Body: string | Buffer): Promise<void> {
    await this.s3.send(new PutObjectCommand({ Bucket, Key, Body }));
  }

  async read(Key: string, Range?: string): Promise<Buffer> {
    const { Body } = await this.s3.send(new GetObjectCommand({ Bucket, Key, ...(Range && { Range }) }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  }

  async keys(): Promise<(string | undefined)[]> {
    const { Contents = [] } = await this.s3.send(new ListObjectsV2Command({ Bucket }));
    return Contents.map((object) => object.Key);
  }

  /** Uploads in parts of 5 MiB, as the worker does. */
  async upload(Key: string, body: Buffer): Promise<void> {
    await new Upload({
      client: this.s3,
      params: { Bucket, Key, Body: Readable.from([body]) },
      partSize: 5 * MIB,
    }).done();
  }

  /** The names of the files that hold the objects' bytes, or name their files. */
  async files(kind: 'data' | 'records'): Promise<string[]> {
    return await readdir(join(this.folder, Bucket, kind));
  }
}

function clientOf({ endpoint }: ObjectAndQueueEmulator): S3Client {
  return new S3Client({ ...settings, endpoint, forcePathStyle: true });
}
