import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { indexKeys } from '../../../lib/jobs/indexes/index-keys.ts';
import { jobIdOfKey } from '../../../lib/jobs/lifecycle/job-id.ts';
import { NEWEST_JOB_SCHEMA } from '../../../lib/jobs/lifecycle/newer-schema.ts';
import { aJob } from '../../lib/jobs/a-job.ts';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { runSettings } from '../../local-run/run-settings.ts';
import { createJob, untilEnded } from '../job-client.ts';

/** A service whose tables a newer version has worked on meanwhile, as after a rollback. */
const ID = jobIdOfKey('of a newer version');
let service: OwnService;
let table: DynamoDBDocumentClient;
let queues: SQSClient;
let environment: Record<string, string>;

beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_WATCH_SECONDS: '1' } });
  environment = JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8')).environment;
  const settings = runSettings(environment);
  const { AWS_ENDPOINT_URL_DYNAMODB: endpoint = '', AWS_ENDPOINT_URL_SQS: queueEndpoint = '' } = environment;
  table = DynamoDBDocumentClient.from(new DynamoDBClient({ ...settings, endpoint }));
  queues = new SQSClient({ ...settings, endpoint: queueEndpoint });
});
afterAll(async () => {
  table.destroy();
  queues.destroy();
  await service.stop();
});

const itemOf = async (id: string) =>
  (await table.send(new GetCommand({ TableName: environment.JOBS_TABLE, Key: { id } }))).Item;

it('a job of a later schema is shown, rejects requests for now, and stays unchanged; other jobs continue', async () => {
  const job = aJob({ id: ID, profile: 'shell', priority: 7 });
  const later = { ...job, ...indexKeys(job), schema: NEWEST_JOB_SCHEMA + 1, texts: ['another', 'shape'] };
  await table.send(new PutCommand({ TableName: environment.JOBS_TABLE, Item: later }));
  const message = JSON.stringify({ v: 1, band: 'high', project: 'local_project', job: ID });
  const url = environment.QUEUE_URL_HIGH;
  await queues.send(new SendMessageCommand({ QueueUrl: url, MessageBody: message, MessageGroupId: 'local_project' }));

  const other = await createJob(service, { prompt: 'true', profile: 'shell', priority: 5 });
  expect(await untilEnded(service, other)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
  for (const [method, path] of [
    ['GET', `/jobs/${ID}`],
    ['GET', `/jobs/${ID}/status`],
    ['GET', `/jobs/${ID}/result`],
    ['POST', `/jobs/${ID}/cancel`],
    ['DELETE', `/jobs/${ID}`],
  ] as const) {
    const { status, json, headers } = await service.api(method, path);
    expect([method, path, status, json.error]).toEqual([method, path, 503, 'unavailable']);
    expect(headers.get('retry-after')).toBe('30');
  }
  const { json } = await service.api('GET', '/jobs');
  expect(json.items.map(({ id, status }: { id: string; status: string }) => [id, status])).toContainEqual([
    ID,
    'QUEUED',
  ]);
  await waitFor(async () => (await service.api('GET', '/health')).json.status_counts.QUEUED === 1);
  await waitFor(async () => (await readFile(join(service.home, 'logs', 'worker.log'), 'utf8')).includes(`job ${ID}`));
  expect(await itemOf(ID)).toEqual(later);
});
