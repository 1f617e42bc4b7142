import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { complaints, diagnose } from '../../bin/doctor-command.ts';
import { type OwnService, startService, waitFor } from '../../local-run/local-service.ts';
import { runSettings } from '../../local-run/run-settings.ts';
import { describeOnSmallDisk, mountSmallDisk, type SmallDisk } from '../../stand-ins/small-disk.ts';
import { createJob, untilEnded } from '../job-client.ts';

describeOnSmallDisk('while the disk of the home is full', () => {
  let disk: SmallDisk;
  let service: OwnService;
  let table: DynamoDBDocumentClient;
  let jobsTable: string;

  beforeAll(async () => {
    disk = mountSmallDisk(64);
    service = await startService({ home: disk.folder, env: { PROMPTQ_WATCH_SECONDS: '1' } });
    const { environment } = JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8'));
    const { AWS_ENDPOINT_URL_DYNAMODB: endpoint } = environment;
    table = DynamoDBDocumentClient.from(new DynamoDBClient({ ...runSettings(environment), endpoint }));
    jobsTable = environment.JOBS_TABLE;
  });
  afterAll(async () => {
    table.destroy();
    disk.makeRoom();
    await service.stop();
    disk.remove();
  });

  const itemOf = async (id: string) => (await table.send(new GetCommand({ TableName: jobsTable, Key: { id } }))).Item;

  it('health names the full disk, creates get a retry delay, and no job loses a retry', {
    timeout: 180_000,
  }, async () => {
    const key = join(service.home, 'go');
    const jobs = await Promise.all(
      [1, 2].map(
        async (n) =>
          await createJob(service, { prompt: `until [ -e ${key} ]; do sleep 0.2; done; echo ${n}`, profile: 'shell' }),
      ),
    );
    await waitFor(async () => (await Promise.all(jobs.map(itemOf))).every((job) => job?.status === 'RUNNING'));
    const counted = async () => (await service.api('GET', '/health')).json.status_counts.RUNNING;
    await waitFor(async () => (await counted()) === 2);
    disk.fill();

    const { status, json: health } = await service.api('GET', '/health');
    expect([status, health.status, health.status_counts.RUNNING]).toEqual([200, 'degraded', 2]);
    expect(health.checks).toMatchObject({
      table: { status: 'failed', message: 'The disk of the database is full: make room on it.' },
      storage: { status: 'failed', message: 'The disk of the objects is full: make room on it.' },
      workers: { status: 'failed', message: "The disk of the worker's files is full: make room on it." },
      queues: { status: 'ok' },
    });
    const created = await service.api('POST', '/jobs', { prompt: 'true', profile: 'shell' });
    expect([created.status, created.json.error, created.headers.get('retry-after')]).toEqual([
      503,
      'unavailable',
      expect.stringMatching(/^\d+$/),
    ]);
    const { findings } = await diagnose([], { PROMPTQ_HOME: service.home });
    expect(complaints({ findings } as never).join('\n')).toContain('disk');

    // Long enough for workers to give up, and for leases to run out.
    await waitFor(async () =>
      (await Promise.all(jobs.map(itemOf))).every((job) => (job?.lease_until ?? '') < new Date().toISOString()),
    );
    await waitFor(() => service.output().includes('reconcile-jobs failed'));
    expect(service.output()).not.toContain('the worker ended unexpectedly');
    disk.makeRoom();

    await waitFor(async () => (await service.api('GET', '/health')).json.status === 'ok');
    await createJob(service, { prompt: `touch ${key}`, profile: 'shell', priority: 9 });
    for (const id of jobs) {
      expect(await untilEnded(service, id)).toMatchObject({ status: 'SUCCEEDED' });
      expect(await itemOf(id)).not.toHaveProperty('losses');
    }
  });
});
