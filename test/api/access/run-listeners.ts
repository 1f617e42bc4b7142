import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { ServiceUnderTest } from '../../local-run/local-service.ts';
import { runEnvironment, runSettings } from '../../local-run/run-settings.ts';

/** The loopback ports on which the processes of a run listen, in this machine's network. */
export async function listeningPorts(service: ServiceUnderTest): Promise<number[]> {
  const inodes = new Set<string>();
  for (const pid of await processesOf(service.pid)) {
    const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const name of names) {
      const link = await readlink(`/proc/${pid}/fd/${name}`).catch(() => '');
      const inode = /^socket:\[(\d+)\]$/.exec(link)?.[1];
      if (inode !== undefined) inodes.add(inode);
    }
  }
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  return lines
    .filter(([, , , state, , , , , , inode]) => state === '0A' && inodes.has(inode ?? ''))
    .map(([, local]) => Number.parseInt(local?.split(':')[1] ?? '', 16));
}

/** A process and all that descend from it. */
async function processesOf(root: number): Promise<number[]> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map<number, number>();
  for (const pid of all) {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    parents.set(pid, Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1] ?? 0));
  }
  const family = [root];
  for (const pid of family) for (const [child, parent] of parents) if (parent === pid) family.push(child);
  return family;
}

/** Everything that an intruder could change in a run: both tables, objects, queues and the practice vendor's state. */
export async function contentsOf(service: ServiceUnderTest): Promise<unknown> {
  const environment = await runEnvironment(service.home);
  const settings = runSettings(environment);
  const { AWS_ENDPOINT_URL_DYNAMODB = '', AWS_ENDPOINT_URL_S3 = '', AWS_ENDPOINT_URL_SQS = '' } = environment;
  const tables = new DynamoDBClient({ ...settings, endpoint: AWS_ENDPOINT_URL_DYNAMODB });
  const objects = new S3Client({ ...settings, endpoint: AWS_ENDPOINT_URL_S3, forcePathStyle: true });
  const queues = new SQSClient({ ...settings, endpoint: AWS_ENDPOINT_URL_SQS });
  const job = await tables.send(new ScanCommand({ TableName: environment.JOBS_TABLE ?? '' }));
  const registry = await tables.send(new ScanCommand({ TableName: environment.REGISTRY_TABLE ?? '' }));
  const { Contents = [] } = await objects.send(new ListObjectsV2Command({ Bucket: environment.OUTPUT_BUCKET ?? '' }));
  const { QueueUrls } = await queues.send(new ListQueuesCommand({}));
  const { practice_url, practice_key } = JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8'));
  const headers = { authorization: `Bearer ${practice_key}` };
  const practice = await fetch(new URL('/practice/state', practice_url), { headers });
  const contents = {
    jobs: job.Items,
    // Workers and schedules note there that they are alive.
    tokens: registry.Items?.filter(({ kind }) => kind?.S === 'token').map(({ id, pk, scopes }) => ({ id, pk, scopes })),
    objects: Contents.map(({ Key, ETag }) => ({ Key, ETag })),
    queues: QueueUrls,
    practice: await practice.json(),
  };
  for (const client of [tables, objects, queues]) client.destroy();
  return contents;
}
