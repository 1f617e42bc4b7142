import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createJob, untilEnded } from '../api/job-client.ts';
import { type OwnService, startService, waitFor } from '../local-run/local-service.ts';
import { findMarkedAs } from '../local-run/marked-processes.ts';
import { runSettings } from '../local-run/run-settings.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/operate.ts', import.meta.url));

let service: OwnService;
beforeAll(async () => {
  service = await startService({ env: { PROMPTQ_CONCURRENCY: '1', PROMPTQ_WATCH_SECONDS: '3600' } });
});
afterAll(async () => {
  await service.stop();
});

async function operate(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return await new Promise((resolve) => {
    const env = { ...process.env, PROMPTQ_HOME: service.home };
    execFile(process.execPath, [PROGRAM, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

it('redrive brings back the jobs of a queue that was purged', async () => {
  const filler = await createJob(service, { prompt: 'sleep 300', profile: 'shell' });
  await waitFor(() => findMarkedAs(`${filler}/1`).length > 0);
  const waiting = await createJob(service, { prompt: 'true', profile: 'shell' });
  const { environment } = JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8'));
  const queues = new SQSClient({
    endpoint: environment.AWS_ENDPOINT_URL_SQS,
    ...runSettings(environment),
  });
  await queues.send(new PurgeQueueCommand({ QueueUrl: environment.QUEUE_URL_NORMAL }));
  queues.destroy();
  await service.api('POST', `/jobs/${filler}/kill`);
  await untilEnded(service, filler);
  expect((await service.api('GET', `/jobs/${waiting}/status`)).json.status).toBe('QUEUED');
  expect(await operate('redrive')).toMatchObject({ code: 0, stderr: '' });
  expect(await untilEnded(service, waiting)).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
});

it('recount says that the kept counts are right', async () => {
  await createJob(service, { prompt: 'true', draft: true });
  const counted = await waitFor(async () => {
    const result = await operate('recount');
    return result.code === 0 && result;
  });
  expect(counted.stdout).toMatch(/DRAFT +stored 1 {2}counted 1\n/);
});

it('a home without a running service is named', async () => {
  const { code, stderr } = await operate('redrive', '--home', join(service.home, 'workspaces'));
  expect([code, stderr]).toEqual([1, expect.stringContaining('no service runs on')]);
});

it('so is a home whose service was killed, and left its entry', async () => {
  const home = await mkdtemp(join(tmpdir(), 'promptq-test-'));
  onTestFinished(async () => await rm(home, { recursive: true }));
  const entry = JSON.parse(await readFile(join(service.home, 'operator.json'), 'utf8'));
  await writeFile(join(home, 'operator.json'), JSON.stringify({ ...entry, dynamodb: 'http://127.0.0.1:9' }));
  const { code, stderr } = await operate('recount', '--home', home);
  expect([code, stderr]).toEqual([1, expect.stringContaining('no service runs on')]);
});
