import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { randomJobId } from '../../../lib/jobs/lifecycle/job-id.ts';
import { runAttempt } from '../../../worker-container/attempt/run-attempt.ts';
import { accountOf, type ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { WorkFolders } from '../../../worker-container/workspace/work-folders.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { openWorker } from '../../stand-ins/emulated-worker.ts';
import { describeAsRoot, newAccounts } from './as-root.ts';

describeAsRoot('private folders', () => {
  const [first, second] = newAccounts(2).slots as [ServiceAccount, ServiceAccount];
  let deployment: EmulatedDeployment;
  let opened: Awaited<ReturnType<typeof openWorker>>;
  beforeAll(async () => {
    deployment = await emulateDeployment();
    opened = await openWorker(deployment);
    await chmod(dirname(opened.worker.env.PROMPTQ_WORKSPACES), 0o711);
    await mkdir(opened.worker.env.PROMPTQ_WORK_DIR, { mode: 0o711 });
  });
  afterAll(async () => await deployment.stop());

  /** Runs a job under an account. @param changes stored without validation */
  async function run(prompt: string, account: ServiceAccount, changes: Partial<Job> = {}): Promise<Job> {
    const { id } = await createJob(opened.creation, { prompt, project: 'other' }, 'token:test');
    const job = await deployment.jobs.get(id, { consistent: true });
    const held = await deployment.dispatchQueues.receive('normal', 5);
    if (job === undefined || held === undefined) throw new Error('the job was not to be had');
    const moved = await transition(deployment, job, { type: 'edit', changes });
    if (!moved.done) throw new Error(moved.rejected);
    const claimed = await transition(deployment, moved.job, { type: 'claim', workerId: opened.worker.workerId });
    if (!claimed.done) throw new Error(claimed.rejected);
    const context = { ...opened.worker, account };
    const ended = await runAttempt(context, claimed.job, held, new AbortController().signal);
    if (ended === undefined) throw new Error('the attempt was not reported');
    return ended;
  }

  test('are taken from no account by a job that was stored with one that is not for it', async () => {
    const { PROMPTQ_WORKSPACES: workspaces } = opened.worker.env;
    const neighbour = { id: randomJobId() };
    const theirs = join(workspaces, 'payroll', neighbour.id);
    const folders = new WorkFolders({ account: first, folders: opened.worker.folders, closed: [] });
    await folders.lend(theirs, neighbour);
    await writeFile(join(theirs, 'private'), '', { mode: 0o600 });
    const { uid: owner } = await stat(theirs);
    for (const cwd of [theirs, join(theirs, 'deep'), '.', join(workspaces, 'payroll')]) {
      const { status, reason, error } = await run('echo > was-here', second, { cwd });
      expect([status, reason, error], cwd).toEqual(['FAILED', 'start_failed', expect.stringMatching(/cwd: received /)]);
    }
    const [{ uid, mode }, project] = [await stat(theirs), await stat(join(workspaces, 'payroll'))];
    expect([owner, uid, mode & 0o777, project.uid, await readdir(theirs)]).toEqual([
      first.uid,
      first.uid,
      0o700,
      0,
      ['private'],
    ]);
  });

  test('are closed to later jobs under the same account when an attempt has ended', async () => {
    const { PROMPTQ_WORKSPACES: workspaces } = opened.worker.env;
    const waiting = await run('mkdir hooks; echo mine > hooks/file; chmod -R 777 .; exit 3', first);
    const folder = join(workspaces, waiting.project_id, waiting.id);
    const { uid, gid, mode } = await stat(folder);
    expect([waiting.reason, uid, gid, mode & 0o777]).toEqual(['exited', 0, first.uid, 0o700]);
    const later = await run(`echo planted > ${folder}/work/hooks/file || ls ${folder} || exit 4`, first);
    expect([later.exit_code, await readFile(join(folder, 'work', 'hooks', 'file'), 'utf8')]).toEqual([4, 'mine\n']);
    // Its own next attempt works there.
    expect(
      await new WorkFolders({ account: first, folders: opened.worker.folders, closed: [] }).lend(folder, waiting),
    ).toBe(folder);
    expect((await stat(folder)).uid).toBe(first.uid);
  });

  test('pass to the account of another worker, however many accounts there are', async () => {
    const { PROMPTQ_WORKSPACES: workspaces } = opened.worker.env;
    const ofMany = accountOf(first.gid, 12_001);
    const job = await run('echo mine > file; exit 3', ofMany);
    const folder = join(workspaces, job.project_id, job.id);
    const lend = async (account: ServiceAccount) =>
      await new WorkFolders({ account, folders: opened.worker.folders, closed: [] }).lend(folder, job);
    const owners = async () =>
      await Promise.all([folder, join(folder, 'work', 'file')].map(async (at) => (await stat(at)).uid));
    await lend(ofMany);
    expect(await owners()).toEqual([ofMany.uid, ofMany.uid]);
    // Its worker died: the folder is not closed.
    await lend(second);
    expect(await owners()).toEqual([second.uid, second.uid]);
    // Nobody's: neither an account nor root.
    await chown(folder, ofMany.uid + 2_000, first.gid);
    await lend(second);
    expect(await owners()).toEqual([ofMany.uid + 2_000, second.uid]);
  });

  test('stay open when the agent of a job has started another one there', async () => {
    const { PROMPTQ_WORKSPACES: workspaces } = opened.worker.env;
    const parent = await run('true', first, { shares_folder: true });
    expect((await stat(join(workspaces, parent.project_id, parent.id))).uid).toBe(first.uid);
  });
});
