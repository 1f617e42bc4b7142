import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Profile } from '../../../lib/catalog/profiles.ts';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { runAttempt } from '../../../worker-container/attempt/run-attempt.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { openWorker } from '../../stand-ins/emulated-worker.ts';
import { describeAsRoot, newAccounts } from './as-root.ts';

describeAsRoot('a job of a profile that was stored before its variables were rejected', () => {
  const slot = newAccounts(1).slots[0] as ServiceAccount;
  let deployment: EmulatedDeployment;
  let opened: Awaited<ReturnType<typeof openWorker>>;
  let left: string;
  beforeAll(async () => {
    deployment = await emulateDeployment();
    opened = await openWorker(deployment);
    const { PROMPTQ_WORKSPACES, PROMPTQ_WORK_DIR } = opened.worker.env;
    // The folder of an emulated deployment is private to its user; a container's folders are not.
    await chmod(dirname(PROMPTQ_WORKSPACES), 0o711);
    await mkdir(PROMPTQ_WORK_DIR, { mode: 0o711 });
  });
  afterAll(async () => await deployment.stop());
  beforeEach(async () => {
    left = await mkdtemp(join(tmpdir(), 'promptq-test-'));
    await chown(left, slot.uid, slot.gid);
  });
  afterEach(async () => await rm(left, { recursive: true }));

  async function run(env: Profile['env'], prompt = 'echo ran'): Promise<Job> {
    await opened.worker.profiles.put({ name: 'stored', agent: 'shell', env });
    const { id } = await createJob(opened.creation, { prompt, profile: 'stored' }, 'token:test');
    const read = async () => {
      const job = await deployment.jobs.get(id, { consistent: true });
      if (job === undefined) throw new Error('there is no such job');
      return job;
    };
    const held = await deployment.dispatchQueues.receive('normal', 5);
    const claimed = await transition(deployment, await read(), { type: 'claim', workerId: opened.worker.workerId });
    if (held === undefined || !claimed.done) throw new Error('the job was not to be had');
    await runAttempt({ ...opened.worker, account: slot }, claimed.job, held, new AbortController().signal);
    return await read();
  }

  test('is not started with variables of the dynamic loader', async () => {
    const loader = { LD_DEBUG: 'files', LD_DEBUG_OUTPUT: join(left, 'loader'), GCONV_PATH: left };
    const job = await run({ ...loader, STAGE: 'test' });
    expect([job.status, job.reason, job.error]).toEqual([
      'FAILED',
      'start_failed',
      expect.stringContaining('profile stored sets GCONV_PATH, LD_DEBUG, LD_DEBUG_OUTPUT: no process of a job gets'),
    ]);
    expect(await readdir(left)).toEqual([]);
  });

  test("is started with an interpreter's variables, only under its account, and with a warning", async () => {
    await writeFile(join(left, 'planted.sh'), `: > ${left}/planted`);
    const job = await run({ BASH_ENV: join(left, 'planted.sh'), PERL5OPT: '-MNo::Such::Module' });
    expect([job.status, job.attempt_warnings]).toEqual([
      'SUCCEEDED',
      ['profile stored sets BASH_ENV, PERL5OPT, which imports refuse now: import it without'],
    ]);
    expect((await lstat(join(left, 'planted'))).uid).toBe(slot.uid);
  });
});
