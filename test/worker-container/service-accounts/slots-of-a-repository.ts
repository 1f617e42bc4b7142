import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import type { Receipt } from '../../../lib/jobs/receipts/receipt.ts';
import { runAttempt } from '../../../worker-container/attempt/run-attempt.ts';
import { endTree, spawnTree, type Tree } from '../../../worker-container/commands/process-tree.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { openWorker } from '../../stand-ins/emulated-worker.ts';

/** An emulated deployment whose worker runs jobs of repositories under given accounts. */
export type SlotsOfARepository = Awaited<ReturnType<typeof openSlots>>;

export async function openSlots(secrets: ReadonlyMap<string, string> = new Map()) {
  const deployment = await emulateDeployment();
  const opened = await openWorker(deployment);
  const { env } = opened.worker;
  const workspaces = env.PROMPTQ_WORKSPACES;
  // The folder of an emulated deployment is private to its user; a container's folders are not.
  await chmod(dirname(workspaces), 0o711);
  await mkdir(env.PROMPTQ_WORK_DIR, { mode: 0o711 });
  // Every account can leave something here.
  const open = await mkdtemp(join(tmpdir(), 'promptq-open-'));
  await chmod(open, 0o777);
  const read = async (id: string): Promise<Job> => {
    const job = await deployment.jobs.get(id, { consistent: true });
    if (job === undefined) throw new Error('there is no such job');
    return job;
  };
  /** Runs a job's next attempt. */
  const run = async (job: Job, account: ServiceAccount): Promise<Job & Pick<Receipt, 'changes'>> => {
    const held = await deployment.dispatchQueues.receive('normal', 5);
    const claimed = await transition(deployment, job, { type: 'claim', workerId: opened.worker.workerId });
    if (held === undefined || !claimed.done) throw new Error('the job was not to be had');
    const worker = { ...opened.worker, secrets: { read: async () => new Map(secrets) } };
    await runAttempt({ ...worker, account }, claimed.job, held, new AbortController().signal);
    const ended = await read(job.id);
    return { ...ended, changes: (await deployment.readReceipt(ended.id, ended.attempt))?.changes };
  };
  const start = async (prompt: string, project = 'app'): Promise<Job> =>
    await read((await createJob(opened.creation, { prompt, project }, 'token:test')).id);
  return {
    deployment,
    workspaces,
    open,
    start,
    run,
    folderOf: (job: Job) => join(workspaces, job.project_id, job.id, 'work'),
    runNew: async (prompt: string, account: ServiceAccount, project?: string) =>
      await run(await start(prompt, project), account),
    retry: async (job: Job, account: ServiceAccount) => {
      const again = await transition(deployment, await read(job.id), { type: 'retry' });
      if (!again.done) throw new Error(again.rejected);
      return await run(again.job, account);
    },
    /** Projects are made by their first job. */
    setProject: async (project: string, settings: Parameters<typeof deployment.projectSettings.change>[1]) => {
      await createJob(opened.creation, { prompt: 'true', project, draft: true }, 'token:test');
      await deployment.projectSettings.change(project, settings);
    },
    stop: async () => {
      await deployment.stop();
      await rm(open, { recursive: true });
    },
  };
}

/** Starts a script under an account, until it is ended. */
export async function attackAs(account: ServiceAccount, script: string): Promise<Tree & { end(): Promise<void> }> {
  const mark = randomUUID();
  const command = { command: 'bash', args: ['-c', script], env: { PATH: '/usr/bin:/bin' }, cwd: '/', stdin: '' };
  const tree = await spawnTree({ ...command, mark, account });
  const end = async () => void (await endTree({ child: tree, mark, politeSignal: 'SIGTERM', kill: true }));
  return Object.assign(tree, { end });
}

/** What a script prints under an account. */
export async function printedAs(account: ServiceAccount, script: string): Promise<string> {
  const tree = await attackAs(account, script);
  const said = await text(tree.stdout);
  await tree.end();
  return said;
}

/** A server that asks every caller for credentials, and keeps what it is given. */
export async function startCollector(): Promise<{ url: string; given: string[]; close(): void }> {
  const given: string[] = [];
  const server = createServer((request, response) => {
    if (request.headers.authorization !== undefined) given.push(request.headers.authorization);
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    given,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
