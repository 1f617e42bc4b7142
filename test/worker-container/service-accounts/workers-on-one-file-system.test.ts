import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import { waitFor } from '../../local-run/local-service.ts';
import { startWorkerProcess, type WorkerUnderTest } from '../../local-run/worker-process.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { openWorker } from '../../stand-ins/emulated-worker.ts';
import { describeAsRoot, newFirstUid } from './as-root.ts';

/** Real workers with accounts, one slot each, that share the workspaces as Fargate tasks share EFS. */
describeAsRoot('two workers that run at the same time', () => {
  const first = newFirstUid();
  let deployment: EmulatedDeployment;
  let creation: Awaited<ReturnType<typeof openWorker>>['creation'];
  let workspaces: string;
  const workers: WorkerUnderTest[] = [];
  beforeAll(async () => {
    deployment = await emulateDeployment();
    ({ creation } = await openWorker(deployment));
    workspaces = deployment.env.PROMPTQ_WORKSPACES;
    await mkdir(workspaces, { recursive: true });
    await chmod(dirname(workspaces), 0o711);
    await deployment.profiles.put({ name: 'shell', agent: 'shell' });
  });
  afterAll(async () => {
    for (const { process } of workers) process.kill('SIGTERM');
    for (const { ended } of workers) await ended;
    await deployment.stop();
  });

  async function start(name: string): Promise<WorkerUnderTest> {
    const worker = await startWorkerProcess(deployment, {
      PROMPTQ_SLOT_UID: String(first),
      PROMPTQ_WORK_DIR: join(dirname(workspaces), `worker-${name}`),
      PROMPTQ_STOP_GRACE_SECONDS: '0',
    });
    workers.push(worker);
    await waitFor(() => worker.output().includes('"ready"'));
    return worker;
  }
  const submit = async (prompt: string) =>
    (await createJob(creation, { prompt, profile: 'shell', project: 'shared' }, 'token:test')).id;
  const statusOf = async (id: string) => (await deployment.jobs.get(id, { consistent: true }))?.status;
  const stdoutOf = async (id: string) => {
    await waitFor(async () => (await statusOf(id)) === 'SUCCEEDED');
    return await text(Readable.from((await deployment.output.openStream(id, 1, 'stdout')).read()));
  };
  const uidOf = async (id: string) => Number((await stdoutOf(id)).split('\n')[0]);

  test("keep a job of one out of the private folder of the other's, and an account is free once its worker has stopped", async () => {
    await Promise.all(['a', 'b'].map(start));
    const gate = join(workspaces, 'gate');
    const victim = await submit(`id -u; echo mine > private; while [ ! -e ${gate} ]; do sleep 0.05; done`);
    await waitFor(async () => (await statusOf(victim)) === 'RUNNING');
    const folder = join(
      workspaces,
      (await deployment.jobs.get(victim, { consistent: true }))?.project_id ?? '',
      victim,
    );
    const neighbour = await submit(
      `id -u; until [ -d ${folder} ]; do sleep 0.05; done; cat ${folder}/private 2>&1; ls ${folder} 2>&1; true`,
    );
    const seen = await stdoutOf(neighbour);
    await writeFile(gate, '');
    expect(seen.match(/Permission denied/g)).toHaveLength(2);
    const uids = await Promise.all([uidOf(victim), uidOf(neighbour)]);
    expect(uids.toSorted()).toEqual([first + 1, first + 2]);

    for (const { process } of workers) process.kill('SIGTERM');
    for (const { ended } of workers.splice(0)) expect(await ended).toBe(0);
    await start('c');
    expect(await uidOf(await submit('id -u'))).toBe(first + 1);
  });
});
