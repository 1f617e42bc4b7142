import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { BatchGetCommand, GetCommand, PutCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { objectClient, queueClient, tableClient } from '../../lib/platform/aws/clients.ts';
import { atOnce } from './short-jobs.ts';

/**
 * Makes the AWS calls of a creation, or of a short job's run with its bash, by the SDK alone, against a run's emulators:
 * nothing of the service or the worker. Prints how many creations' or jobs' calls it made in a second.
 */
const { values } = parseArgs({
  options: {
    home: { type: 'string' },
    job: { type: 'string' },
    part: { type: 'string' },
    lanes: { type: 'string' },
    jobs: { type: 'string' },
  },
});
const { home = '', job = '', part = '' } = values;
const operatorSchema = z.object({ environment: z.record(z.string(), z.string()) });
const { environment } = operatorSchema.parse(JSON.parse(await readFile(join(home, 'operator.json'), 'utf8')));
// biome-ignore lint/style/noProcessEnv: where the SDK looks for endpoints and credentials
Object.assign(process.env, environment);
const { JOBS_TABLE: jobsTable = '', REGISTRY_TABLE: registryTable = '', OUTPUT_BUCKET: bucket = '' } = environment;
/** As many calls before those that are measured: V8 compiles what it runs often. */
const WARM_UP = 100;
/** Seconds. No worker gets a message: it would look for the job. */
const LONG = 900;

const { table } = tableClient();
const queues = queueClient();
const objects = objectClient({ pathStyle: true });
const { Item: known = {} } = await table.send(new GetCommand({ TableName: jobsTable, Key: { id: job } }));
const keyed = ['list_key', 'status_key', 'ready_key'];
/** An item of the same size, in index partitions that nothing else reads. */
const item = Object.fromEntries(
  Object.entries(known).map(([name, value]) => [name, keyed.includes(name) ? `bench-${value}` : value]),
);
const text = 'x'.repeat(200);
const keyOf = (id: string) => ({ kind: 'bench', id });
for (const id of ['token', 'profile', 'rules', 'project'])
  await table.send(new PutCommand({ TableName: registryTable, Item: { ...keyOf(id), text } }));

const act = part === 'creation' ? create : runJob;
await atOnce(Number(values.lanes), WARM_UP, act);
const began = performance.now();
await atOnce(Number(values.lanes), Number(values.jobs), act);
console.log((Number(values.jobs) * 1000) / (performance.now() - began));

async function readThree(): Promise<void> {
  const Keys = ['profile', 'rules', 'project'].map(keyOf);
  await table.send(new BatchGetCommand({ RequestItems: { [registryTable]: { Keys, ConsistentRead: true } } }));
}

async function create(): Promise<void> {
  const id = randomUUID();
  await table.send(new GetCommand({ TableName: registryTable, Key: keyOf('token'), ConsistentRead: true }));
  await readThree();
  await table.send(new PutCommand({ TableName: registryTable, Item: { ...keyOf(id), text } }));
  const ConditionExpression = 'attribute_not_exists(id)';
  await table.send(new PutCommand({ TableName: jobsTable, Item: { ...item, id }, ConditionExpression }));
  const MessageBody = JSON.stringify({ job: id, text });
  await queues.send(new SendMessageCommand({ QueueUrl: environment.QUEUE_URL_LOW, MessageBody, DelaySeconds: LONG }));
}

/** The messages of ten jobs come and go in one call, so they are left out. */
async function runJob(): Promise<void> {
  const id = randomUUID();
  const change = async (status: string) =>
    await table.send(
      new UpdateCommand({
        TableName: jobsTable,
        Key: { id },
        UpdateExpression: 'SET #status = :status, status_key = :key, #text = :text',
        ExpressionAttributeNames: { '#status': 'status', '#text': 'text' },
        ExpressionAttributeValues: { ':status': status, ':key': `bench-${status}`, ':text': text },
      }),
    );
  await table.send(
    new QueryCommand({
      TableName: jobsTable,
      IndexName: 'ready',
      KeyConditionExpression: 'ready_key = :key',
      ExpressionAttributeValues: { ':key': 'bench' },
      Limit: 1,
    }),
  );
  await readThree();
  await change('RUNNING');
  await once(spawn('bash', ['-c', 'true'], { stdio: ['ignore', 'pipe', 'pipe'] }), 'close');
  for (const name of ['receipt', 'texts'])
    await objects.send(new PutObjectCommand({ Bucket: bucket, Key: `bench/${id}/${name}`, Body: text.repeat(5) }));
  await change('SUCCEEDED');
}
