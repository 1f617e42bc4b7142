import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import { ScalingStore } from '../../../lib/workers/scaling/scaling-store.ts';
import { waitFor } from '../../local-run/local-service.ts';
import { startWorkerProcess } from '../../local-run/worker-process.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { openWorker } from '../../stand-ins/emulated-worker.ts';

async function setUp({ onTestFinished }: TestContext, env: Record<string, string>) {
  const deployment = await emulateDeployment();
  const { creation } = await openWorker(deployment);
  const worker = await startWorkerProcess(deployment, env);
  onTestFinished(async () => {
    worker.process.kill('SIGKILL');
    await worker.ended;
    await deployment.stop();
  });
  return { deployment, worker, create: async (prompt: string) => (await createJob(creation, { prompt }, 'test')).id };
}

const statusOf = async ({ jobs }: EmulatedDeployment, id: string) => (await jobs.get(id, { consistent: true }))?.status;
const registered = async ({ workers }: EmulatedDeployment) => (await workers.recent())[0];

/** Answers a worker with its task, as ECS does, but fails the first `failures` times. */
async function startTaskMetadata({ onTestFinished }: TestContext, revision: number, failures = 0): Promise<string> {
  let left = failures;
  const server = createServer(({ url }, response) => {
    left -= 1;
    if (left >= 0) return response.writeHead(503).end();
    const TaskARN = 'arn:aws:ecs:us-east-1:123456789012:task/cluster/0123abcd';
    return response.end(
      url === '/v4/task' ? JSON.stringify({ TaskARN, Family: 'worker', Revision: String(revision) }) : '',
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v4`;
}

describe.concurrent('a worker', () => {
  test('stays while it works, takes a message that arrives before it stops, and stops when none does', async (context) => {
    const { deployment, worker, create } = await setUp(context, { PROMPTQ_IDLE_SECONDS: '1' });
    const first = await create('sleep 3');
    await waitFor(async () => (await statusOf(deployment, first)) === 'SUCCEEDED');
    await waitFor(async () => (await registered(deployment))?.leaving === 'idle');
    const second = await create('true');
    await waitFor(async () => (await statusOf(deployment, second)) === 'SUCCEEDED');
    const [one, other] = await Promise.all([first, second].map((id) => deployment.jobs.get(id, { consistent: true })));
    expect(other).toMatchObject({ attempt: 1, worker_id: one?.worker_id });
    expect(await worker.ended).toBe(0);
    expect(await deployment.workers.list()).toEqual([]);
    expect(await registered(deployment)).toMatchObject({ running: [], left_at: expect.any(String) });
  });

  test('of several stays idle while the deployment keeps one, and the others leave', async (context) => {
    const env = { PROMPTQ_IDLE_SECONDS: '1', PROMPTQ_WARM_WORKERS: '{"count":1}' };
    const { deployment, worker, create } = await setUp(context, env);
    const folder = join(deployment.env.PROMPTQ_WORKSPACES, '..', 'second-worker');
    const second = await startWorkerProcess(deployment, { ...env, PROMPTQ_WORK_DIR: folder });
    context.onTestFinished(() => {
      second.process.kill('SIGKILL');
    });
    expect(await Promise.race([worker.ended, second.ended])).toBe(0);
    const left = (await deployment.workers.recent()).find(({ left_at }) => left_at !== undefined);
    // The other has registered since, so that it has been idle for longer than it would stay.
    const kept = await waitFor(async () =>
      (await deployment.workers.list()).find(({ id, seen_at }) => id !== left?.id && seen_at > (left?.left_at ?? '')),
    );
    const job = await create('true');
    await waitFor(async () => (await statusOf(deployment, job)) === 'SUCCEEDED');
    expect(await deployment.jobs.get(job, { consistent: true })).toMatchObject({ worker_id: kept.id });
  });

  test('that is outdated takes no more messages, finishes its job, and stops, though its task was not known at once', async (context) => {
    const ECS_CONTAINER_METADATA_URI_V4 = await startTaskMetadata(context, 1, 1);
    const { deployment, worker, create } = await setUp(context, { ECS_CONTAINER_METADATA_URI_V4 });
    const gate = join(deployment.env.PROMPTQ_WORKSPACES, '..', 'gate');
    const running = await create(`while [ ! -e ${gate} ]; do sleep 0.1; done`);
    await waitFor(async () => (await statusOf(deployment, running)) === 'RUNNING');
    const scaling = new ScalingStore(deployment.registry);
    await scaling.change((known) => ({ ...known, wanted: 'worker:2' }));
    await waitFor(async () => (await registered(deployment))?.leaving === 'outdated');
    expect(await registered(deployment)).toMatchObject({ task: '0123abcd', build: 'worker:1' });
    const waiting = await create('true');
    expect(await statusOf(deployment, running)).toBe('RUNNING');
    writeFileSync(gate, '');
    expect(await worker.ended).toBe(0);
    expect(existsSync(gate)).toBe(true);
    expect(await deployment.jobs.get(running, { consistent: true })).toMatchObject({ status: 'SUCCEEDED', attempt: 1 });
    expect(await deployment.jobs.get(waiting, { consistent: true })).toMatchObject({ status: 'QUEUED', attempt: 0 });
  });

  test('of the wanted build stays, and announces at once that it is stopping', async (context) => {
    const ECS_CONTAINER_METADATA_URI_V4 = await startTaskMetadata(context, 2);
    const { deployment, worker, create } = await setUp(context, {
      ECS_CONTAINER_METADATA_URI_V4,
      PROMPTQ_STOP_GRACE_SECONDS: '2',
    });
    await new ScalingStore(deployment.registry).change((known) => ({ ...known, wanted: 'worker:2' }));
    const running = await create('sleep 600');
    await waitFor(async () => (await statusOf(deployment, running)) === 'RUNNING');
    expect(await registered(deployment)).not.toHaveProperty('leaving');
    worker.process.kill('SIGTERM');
    await waitFor(async () => (await registered(deployment))?.leaving === 'stopped');
    expect(await worker.ended).toBe(0);
    expect(await deployment.jobs.get(running, { consistent: true })).toMatchObject({ status: 'QUEUED', attempt: 1 });
  });
});
