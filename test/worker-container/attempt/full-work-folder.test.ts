import { afterEach, beforeEach, expect, it } from 'vitest';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import { waitFor } from '../../local-run/local-service.ts';
import { startWorkerProcess, type WorkerUnderTest } from '../../local-run/worker-process.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { openWorker } from '../../stand-ins/emulated-worker.ts';
import { describeOnSmallDisk, mountSmallDisk, type SmallDisk } from '../../stand-ins/small-disk.ts';

describeOnSmallDisk('a worker whose work folder is on a full disk', () => {
  let deployment: EmulatedDeployment;
  let disk: SmallDisk;
  let worker: WorkerUnderTest;
  beforeEach(async () => {
    deployment = await emulateDeployment();
    disk = mountSmallDisk(8);
    worker = await startWorkerProcess(deployment, { PROMPTQ_WORK_DIR: disk.folder });
    await waitFor(() => worker.output().includes('"ready"'));
  });
  afterEach(async () => {
    worker.process.kill('SIGTERM');
    await worker.ended;
    disk.remove();
    await deployment.stop();
  });

  const create = async (prompt: string) => {
    const { creation } = await openWorker(deployment);
    return (await createJob(creation, { prompt }, 'token:test')).id;
  };
  const job = async (id: string) => await deployment.jobs.get(id, { consistent: true });

  it('claims nothing once it has noticed, and continues when there is space', async () => {
    disk.fill();
    await create('echo first');
    await waitFor(() => {
      // Files that the worker removes after its start free space too.
      disk.fill();
      return worker.output().includes('no job is claimed');
    });
    const id = await create('echo second');
    disk.makeRoom();
    await waitFor(async () => (await job(id))?.status === 'SUCCEEDED');
    expect(await job(id)).toMatchObject({ attempt: 1 });
  });

  it('fails a job whose output could not be kept, also if its agent has exited by then', async () => {
    const id = await create('cat /dev/zero > "$PROMPTQ_ATTACHMENTS/filler" 2> /dev/null; seq 20000');
    const ended = await waitFor(async () => {
      const now = await job(id);
      return now?.status === 'RUNNING' || now?.status === 'QUEUED' ? undefined : now;
    });
    expect(ended).toMatchObject({ status: 'FAILED', reason: 'output_limit' });
  });

  it('releases a job that needs more space than there is, and uses no retry', async () => {
    // The probe fits, the script of the prompt does not.
    disk.fill(300 * 1024);
    const id = await create(`true ${'#'.repeat(600 * 1024)}`);
    const handedBack = await waitFor(async () => {
      const now = await job(id);
      return now?.status === 'QUEUED' && now.attempt > 0 ? now : undefined;
    });
    expect(handedBack).toMatchObject({ reason: 'waiting_for_worker', retries: 0 });
    expect(handedBack).not.toHaveProperty('losses');
    expect(handedBack).not.toHaveProperty('retries_used');
    disk.makeRoom();
    await waitFor(async () => (await job(id))?.status === 'SUCCEEDED');
  });
});
