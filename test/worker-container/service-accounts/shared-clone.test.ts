import { chmod, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob } from '../../../lib/jobs/create-job.ts';
import type { Job } from '../../../lib/jobs/job.ts';
import { transition } from '../../../lib/jobs/transition.ts';
import { runAttempt } from '../../../worker-container/attempt.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../emulated-deployment.ts';
import { openWorker } from '../../emulated-worker.ts';
import { type GitServer, startGitServer } from '../../git-server.ts';
import { describeAsRoot, newAccounts } from './as-root.ts';

describeAsRoot('jobs of one repository', () => {
  const [first, second] = newAccounts(2).slots as [ServiceAccount, ServiceAccount];
  let deployment: EmulatedDeployment;
  let opened: Awaited<ReturnType<typeof openWorker>>;
  let repository: GitServer;
  beforeAll(async () => {
    [deployment, repository] = await Promise.all([emulateDeployment(), startGitServer()]);
    opened = await openWorker(deployment);
    // The folder of an emulated deployment is private to its user; a container's folders are not.
    await chmod(dirname(opened.worker.env.PROMPTQ_WORKSPACES), 0o711);
    await mkdir(opened.worker.env.PROMPTQ_WORK_DIR, { mode: 0o711 });
    await repository.commit({ 'README.md': 'one\n' });
  });
  afterAll(async () => await Promise.all([deployment.stop(), repository.close()]));

  async function start(prompt: string): Promise<Job> {
    const { id } = await createJob(opened.creation, { prompt, project: 'app' }, 'token:test');
    return await read(id);
  }
  async function read(id: string): Promise<Job> {
    const job = await deployment.jobs.get(id, { consistent: true });
    if (job === undefined) throw new Error('there is no such job');
    return job;
  }
  /** Runs a job's next attempt under an account. */
  async function run(job: Job, account: ServiceAccount): Promise<Job> {
    const held = await deployment.permits.receive('normal', 5);
    const claimed = await transition(deployment, job, { type: 'claim', workerId: opened.worker.workerId });
    if (held === undefined || !claimed.done) throw new Error('the job was not to be had');
    const { env } = opened.worker;
    await runAttempt({ ...opened.worker, account }, claimed.job, held, new AbortController().signal);
    const ended = await read(job.id);
    expect(await readFile(join(env.PROMPTQ_WORKSPACES, 'app', job.id, 'uid'), 'utf8')).toBe(`${account.uid}\n`);
    return ended;
  }

  test("go on in each other's clone, and a retry in a worktree that another slot has made", async () => {
    const draft = await start('id -u > uid; echo 1 >> README.md; git commit -qam one && git gc -q && exit 3');
    await deployment.projectSettings.change('app', { repository: repository.url, setup: 'id -u > set-up-by' });
    const failed = await run(draft, first);
    expect([failed.status, failed.exit_code, failed.attempt_warnings]).toEqual(['FAILED', 3, undefined]);
    const next = await start('id -u > uid; echo 2 >> README.md; git commit -qam two');
    const { status, attempt_warnings } = await run(next, second);
    expect([status, attempt_warnings]).toEqual(['SUCCEEDED', undefined]);
    const again = await transition(deployment, failed, { type: 'retry' });
    if (!again.done) throw new Error(again.refused);
    const retried = await run(again.job, second);
    expect([retried.status, retried.exit_code, retried.attempt_warnings]).toEqual(['FAILED', 3, undefined]);
  });
});
