import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import { waitFor } from '../../local-run/local-service.ts';
import { startWorkerProcess } from '../../local-run/worker-process.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { openWorker } from '../../stand-ins/emulated-worker.ts';

async function startWorker({ onTestFinished }: TestContext, env: Record<string, string>) {
  const deployment = await emulateDeployment();
  const { creation } = await openWorker(deployment);
  const worker = await startWorkerProcess(deployment, env);
  onTestFinished(async () => {
    worker.process.kill('SIGKILL');
    await worker.ended;
    await deployment.stop();
  });
  return { deployment, worker, create: async (prompt: string) => await createJob(creation, { prompt }, 'test') };
}

/** Whether a process runs; one that has ended and was not waited for does not. */
async function isRunning(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return status !== '' && !/\) [ZX] /.test(status);
}

async function endsItself(context: TestContext, breakTables: (deployment: EmulatedDeployment) => Promise<void>) {
  const { deployment, worker, create } = await startWorker(context, { PROMPTQ_UNACKNOWLEDGED_SECONDS: '3' });
  const pidFile = join(dirname(deployment.env.PROMPTQ_WORKSPACES), 'agent-pid');
  await create(`trap '' TERM INT HUP; echo $$ > ${pidFile}; while :; do sleep 1; done`);
  const agent = await waitFor(async () => Number(await readFile(pidFile, 'utf8')) || undefined);
  expect(await isRunning(agent)).toBe(true);
  await breakTables(deployment);
  expect(await worker.ended).toBe(1);
  expect(await isRunning(agent)).toBe(false);
  expect(worker.output()).toContain('the registry acknowledges nothing');
}

describe.concurrent('a worker', () => {
  test('ends its agents, and then exits with code 1, when its registration fails for too long', async (context) => {
    await endsItself(context, async ({ stopTables }) => await stopTables());
  });

  test('ends its agents, and then exits with code 1, when its registration gets no answer', async (context) => {
    await endsItself(context, async ({ pauseTables }) => pauseTables());
  });

  test('stays while its registration is acknowledged', async (context) => {
    const { deployment, worker, create } = await startWorker(context, { PROMPTQ_UNACKNOWLEDGED_SECONDS: '17' });
    const { id } = await create('sleep 20');
    await waitFor(async () => (await deployment.jobs.get(id, { consistent: true }))?.status === 'SUCCEEDED');
    expect(worker.process.exitCode).toBeNull();
  });
});
