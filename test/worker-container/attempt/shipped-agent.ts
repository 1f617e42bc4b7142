import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { OutputSource } from '../../../lib/jobs/output/output-source.ts';
import { OutputStore } from '../../../lib/jobs/output/output-store.ts';
import type { StreamName } from '../../../lib/jobs/receipts/receipt.ts';
import { openAgentPipes } from '../../../worker-container/commands/agent-pipes.ts';
import { s3OutputObjects } from '../../../worker-container/output/output-objects.ts';
import { OutputShipper, type OutputShipperOptions } from '../../../worker-container/output/output-shipper.ts';
import { Redaction } from '../../../worker-container/secrets/redaction.ts';
import { type EmulatedS3, emulatedS3Client, startEmulatedS3 } from '../../stand-ins/emulated-s3.ts';
import { type Fault, startFaultyS3 } from '../../stand-ins/emulated-s3-faults.ts';

let s3: EmulatedS3;
let store: OutputStore;
const cleanups: (() => unknown)[] = [];

/** Starts an S3 for the tests of a file, which call what is exported below; cleans up after each. */
export function shipAgents(): void {
  beforeAll(async () => {
    s3 = await startEmulatedS3();
    store = new OutputStore(s3.client, s3.bucket);
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });
  afterAll(() => s3.stop());
}

export function emulatedS3(): EmulatedS3 {
  return s3;
}

export function outputStore(): OutputStore {
  return store;
}

export function afterThisTest(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

export interface ShippedAgent {
  readonly stdin: Writable;
  /** Exit code and signal. */
  readonly exited: Promise<unknown>;
  readonly shipper: OutputShipper;
  readonly jobId: string;
}

/** Runs a bash script as an agent whose output is shipped, through a faulty way to S3 if one is given. */
export async function ship(
  script: string,
  options: Partial<OutputShipperOptions> = {},
  faultOf?: (call: IncomingMessage) => Fault,
): Promise<ShippedAgent> {
  const jobId = `job_${randomUUID()}`;
  const client = faultOf === undefined ? s3.client : await faultyClient(faultOf);
  const pipes = await openAgentPipes('');
  const agent = spawn('bash', ['--norc', '-c', script], { stdio: ['pipe', pipes.stdio[1], pipes.stdio[2]] });
  const exited = once(agent, 'exit');
  pipes.handOver();
  if (agent.stdin === null) throw new Error('the agent has no stdin');
  const shipper = await OutputShipper.start({
    jobId,
    attempt: 1,
    pipes,
    spoolDir: await temporaryFolder(),
    objects: s3OutputObjects(client, s3.bucket),
    redaction: new Redaction(),
    ...options,
  });
  cleanups.push(
    () => agent.kill('SIGKILL'),
    () => shipper.dispose().catch(() => undefined),
  );
  return { stdin: agent.stdin, exited, shipper, jobId };
}

async function faultyClient(faultOf: (call: IncomingMessage) => Fault) {
  const faulty = await startFaultyS3(s3.endpoint, faultOf);
  const client = emulatedS3Client(faulty.endpoint, 1);
  cleanups.push(faulty.stop, () => client.destroy());
  return client;
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'promptq-spool-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function persisted(jobId: string, stream: StreamName): Promise<string> {
  return (await allOf(await store.openStream(jobId, 1, stream))).toString();
}

export function allOf(source: OutputSource): Promise<Buffer> {
  return buffer(Readable.from(source.read()));
}

export function sha256(bytes: string | Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
