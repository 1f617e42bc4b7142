import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { complaints, diagnose } from '../../bin/doctor-command.ts';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { runSettings } from '../../local-run/run-settings.ts';
import { createJob, untilEnded } from '../job-client.ts';

/** A service on whose jobs a later version has written states and reasons that this one doesn't know. */
let service: OwnService;
let table: DynamoDBDocumentClient;
let jobsTable: string;

beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_WATCH_SECONDS: '1' } });
  const { environment } = JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8'));
  const { AWS_ENDPOINT_URL_DYNAMODB: endpoint } = environment;
  table = DynamoDBDocumentClient.from(new DynamoDBClient({ ...runSettings(environment), endpoint }));
  jobsTable = environment.JOBS_TABLE;
});
afterAll(async () => {
  table.destroy();
  await service.stop();
});

type Item = Record<string, unknown>;
const itemOf = async (id: string) => (await table.send(new GetCommand({ TableName: jobsTable, Key: { id } }))).Item;

/** Changes a draft as a later version could. */
async function writtenLater(name: string, later: Item): Promise<Item> {
  const { id } = (await service.api('POST', '/jobs', { prompt: name, profile: 'shell', draft: true })).json;
  const { ready_key: _key, ready_order: _order, ...draft } = (await itemOf(id)) ?? {};
  const item = { ...draft, ...later };
  await table.send(new PutCommand({ TableName: jobsTable, Item: item }));
  return item;
}

it('a job with a code of a later version is shown, rejects changes, and stops no other job', async () => {
  const queued = { status: 'QUEUED', status_key: 'QUEUED#0', queued_at: '2026-11-20T10:00:00.000Z' };
  const items = [
    await writtenLater('over budget', {
      ...queued,
      ...{ reason: 'budget_reached', ready_key: 'normal#local_project', ready_order: '0' },
    }),
    await writtenLater('asks', { ...queued, reason: 'question_asked', parked: 'question_asked' }),
    await writtenLater('pauses', { status: 'PAUSED', status_key: 'PAUSED#0', reason: 'paused' }),
  ];
  const other = await createJob(service, { prompt: 'true', profile: 'shell' });
  expect(await untilEnded(service, other)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });

  for (const { id, status, reason } of items) {
    const shown = {
      id,
      status,
      state_reason: {
        code: reason,
        message: `The service has no description of the reason ${reason}: a later version set it.`,
        retryable: status === 'QUEUED',
      },
    };
    for (const path of ['', '/status', '/result']) {
      const { status: code, json } = await service.api('GET', `/jobs/${id}${path}`);
      expect([path, code]).toEqual([path, 200]);
      expect(json).toMatchObject(shown);
    }
    expect((await service.api('GET', `/jobs/${id}/status`)).json.terminal).toBe(false);
    expect((await service.api('GET', `/jobs/${id}/logs`)).status).toBe(200);
    const { json: list } = await service.api('GET', '/jobs?limit=50');
    expect(list.items).toContainEqual(expect.objectContaining(shown));
    for (const [method, path, body] of [
      ['POST', `/jobs/${id}/cancel`, undefined],
      ['DELETE', `/jobs/${id}`, undefined],
      ['POST', `/jobs/${id}/kill`, undefined],
      ['POST', `/jobs/${id}/submit`, undefined],
      ['POST', `/jobs/${id}/retry`, undefined],
      ['POST', `/jobs/${id}/reread-logs`, undefined],
      ['PATCH', `/jobs/${id}`, { priority: 3 }],
    ] as const) {
      const { status: code, json, headers } = await service.api(method, path, body);
      expect([method, path, code, json.error]).toEqual([method, path, 503, 'unavailable']);
      expect(headers.get('retry-after')).toBe('30');
    }
    expect(await itemOf(String(id))).toEqual(items.find((item) => item.id === id));
  }
  // The counts of the stream continue: the unknown state does not block it.
  await waitFor(async () => {
    const { json } = await service.api('GET', '/jobs');
    return json.status_counts.QUEUED === 2 && json.status_counts.SUCCEEDED === 1 && json.total === 4;
  });
  const { findings } = await diagnose([], { PROMPTQ_HOME: service.home });
  expect(complaints({ findings } as never)).toEqual([
    'warning later version: 2 jobs of the 2 oldest: budget_reached, question_asked',
  ]);
});

it('a worker ends its own job although a later version has changed the reason', async () => {
  const key = join(service.home, 'go');
  const id = await createJob(service, { prompt: `until [ -e ${key} ]; do sleep 0.1; done`, profile: 'shell' });
  await waitFor(async () => (await itemOf(id))?.status === 'RUNNING');
  const running = await itemOf(id);
  await table.send(new PutCommand({ TableName: jobsTable, Item: { ...running, reason: 'answering' } }));
  expect((await service.api('GET', `/jobs/${id}`)).json.state_reason.code).toBe('answering');
  const touch = await createJob(service, { prompt: `touch ${key}`, profile: 'shell' });
  expect(await untilEnded(service, touch)).toMatchObject({ status: 'SUCCEEDED' });
  expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
});
