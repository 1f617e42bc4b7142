import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { waitFor } from '../../local-run/local-service.ts';
import { findMarkedAs } from '../../local-run/marked-processes.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { openWorker } from '../../stand-ins/emulated-worker.ts';

/** Real worker processes of two versions on one deployment, as while a new version is deployed under load. */
const PROGRAM = fileURLToPath(new URL('../../../worker-container/main.ts', import.meta.url));
const SLOTS = 3;

let deployment: EmulatedDeployment;
let folder: string;
let create: (prompt: string) => Promise<string>;
const workers: ChildProcess[] = [];

beforeEach(async () => {
  deployment = await emulateDeployment();
  folder = join(dirname(deployment.env.PROMPTQ_WORKSPACES), 'test');
  await mkdir(folder, { recursive: true });
  const { creation } = await openWorker(deployment);
  create = async (prompt) => (await createJob(creation, { prompt, profile: 'shell' }, 'token:test')).id;
});
afterEach(async () => {
  for (const worker of workers
    .splice(0)
    .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
    worker.kill('SIGKILL');
    await once(worker, 'exit');
  }
  await deployment.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a worker of a version and waits until it is registered. */
async function startWorker(version: string, graceSeconds: number): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [PROGRAM], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      ...deployment.processEnv,
      PROMPTQ_VERSION: version,
      PROMPTQ_CONCURRENCY: String(SLOTS),
      PROMPTQ_WORK_DIR: join(folder, `worker-${version}`),
      PROMPTQ_ACCOUNT_DIR: join(folder, 'account'),
      PROMPTQ_STOP_GRACE_SECONDS: String(graceSeconds),
    },
    stdio: 'ignore',
  });
  workers.push(worker);
  await waitFor(async () => (await versions()).includes(version));
  return worker;
}

async function versions(): Promise<string[]> {
  return (await deployment.workers.list()).map(({ version }) => version);
}

async function idOf(version: string): Promise<string | undefined> {
  return (await deployment.workers.list()).find((worker) => worker.version === version)?.id;
}

/** A job that runs until a file exists, and records that it ended. */
const untilOpen = (gate: string) => `
  echo on; while [ ! -e ${gate} ]; do sleep 0.05; done; echo $PROMPTQ_ATTEMPT >> ${join(folder, 'ended')}`;

async function running(): Promise<Job[]> {
  const jobs: Job[] = [];
  for await (const { id } of deployment.byStatus('RUNNING')) {
    const job = await deployment.jobs.get(id, { consistent: true });
    if (job?.status === 'RUNNING') jobs.push(job);
  }
  return jobs;
}

async function untilSucceeded(ids: readonly string[]): Promise<Job[]> {
  return await waitFor(async () => {
    const jobs = await Promise.all(ids.map(async (id) => await deployment.jobs.get(id, { consistent: true })));
    const ended = jobs.filter((job) => job?.status === 'SUCCEEDED');
    return ended.length === ids.length ? (ended as Job[]) : undefined;
  });
}

/** Each job has ended once, in the attempt that it names. */
async function expectEndedOnce(jobs: readonly Job[]): Promise<void> {
  const marks = (await readFile(join(folder, 'ended'), 'utf8')).trim().split('\n');
  const ended = marks.map((mark) => mark.split('/').slice(-2).join('/'));
  expect(ended.sort()).toEqual(jobs.map(({ id, attempt }) => `${id}/${attempt}`).sort());
}

async function exitOf(worker: ChildProcess): Promise<number | null> {
  if (worker.exitCode === null) await once(worker, 'exit');
  return worker.exitCode;
}

describe('a worker that is replaced by one of a newer version', () => {
  it("releases jobs that don't end in time; they run again without using a retry, and each ends once", async () => {
    const gate = join(folder, 'gate');
    const older = await startWorker('1.0.0', 0);
    const ids = await Promise.all(Array.from({ length: 8 }, async () => await create(untilOpen(gate))));
    const handedBack = (
      await waitFor(async () => {
        const jobs = await running();
        return jobs.length === SLOTS && jobs;
      })
    ).map(({ id }) => id);
    await startWorker('2.0.0', 0);
    const newer = await idOf('2.0.0');

    older.kill('SIGTERM');
    ids.push(await create(untilOpen(gate)));
    expect(await exitOf(older)).toBe(0);
    expect(await versions()).toEqual(['2.0.0']);
    expect(handedBack.flatMap((id) => findMarkedAs(`${id}/1`))).toEqual([]);
    expect(existsSync(join(folder, 'ended'))).toBe(false);

    await writeFile(gate, '');
    const ended = await untilSucceeded(ids);
    for (const job of ended) {
      const { id, attempt, retries_used: retries, losses, error, worker_id: worker } = job;
      const expected = { id, attempt: handedBack.includes(id) ? 2 : 1, worker: newer };
      expect({ id, attempt, worker, retries, losses, error }).toEqual(expected);
    }
    await expectEndedOnce(ended);
  });

  it('finishes its jobs if there is time, and takes no new ones meanwhile', async () => {
    const gate = join(folder, 'gate');
    const older = await startWorker('1.0.0', 100);
    const olderId = await idOf('1.0.0');
    const first = await Promise.all(Array.from({ length: SLOTS }, async () => await create(untilOpen(gate))));
    await waitFor(async () => (await running()).length === SLOTS);
    older.kill('SIGTERM');
    const later = await create(`echo $PROMPTQ_ATTEMPT >> ${join(folder, 'ended')}`);
    await startWorker('2.0.0', 0);
    const newerId = await idOf('2.0.0');
    const other = await untilSucceeded([later]);
    expect(other).toMatchObject([{ attempt: 1, worker_id: newerId }]);
    expect((await running()).map(({ worker_id }) => worker_id)).toEqual([olderId, olderId, olderId]);

    await writeFile(gate, '');
    const ended = await untilSucceeded(first);
    for (const job of ended) expect(job).toMatchObject({ attempt: 1, worker_id: olderId });
    expect(await exitOf(older)).toBe(0);
    await expectEndedOnce([...ended, ...other]);
  });
});
