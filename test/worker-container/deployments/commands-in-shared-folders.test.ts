import { beforeEach, expect, it } from 'vitest';
import { finishDeployments } from '../../../lib/deployments/start-deployments.ts';
import { acquireFolder, folderName, wakeIfFree } from '../../../lib/jobs/admission/folder-slots.ts';
import type { JobDeployment } from '../../../lib/jobs/deployments/job-deployment.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { beginCommands } from '../../../worker-container/deployments/begin-commands.ts';
import { aJob, aReceipt, aRunningJob } from '../../lib/jobs/a-job.ts';
import { type QuietDeployment, quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

const [AGENT, CHILD, SECOND] = ['1', '2', '3'].map((last) => `job_0000000000000000000000000${last}`) as [
  string,
  string,
  string,
];
const begun = {
  started_at: '2026-11-20T10:00:00.000Z',
  worker_id: 'worker-1',
  ends_by: '2026-11-20T11:00:00.000Z',
};

let deployment: QuietDeployment;
let folder: string;
beforeEach(async () => {
  deployment = quietDeployment();
  folder = folderName(deployment.folders, aJob({ id: AGENT })) ?? '';
  await deployment.store(aRunningJob({ id: AGENT, shares_folder: true, tool_children: [CHILD, SECOND] }));
  await claim(await deployment.store(startedIn(CHILD)));
});

/** A job that the agent started in its folder. */
const startedIn = (id: string, more: Partial<Job> = {}) =>
  aJob({ id, cwd: AGENT, folder_of: AGENT, parent_id: AGENT, created_by: `job:${AGENT}`, ...more });
const read = async (id: string) => (await deployment.read({ id })) as Job;

async function claim(job: Job): Promise<void> {
  expect(await acquireFolder(deployment, job, folder)).toBe(true);
  const claimed = await transition(deployment, job, { type: 'claim', workerId: 'w', folder, place: undefined });
  expect(claimed).toMatchObject({ done: true });
}

/** Lets a job succeed, with a pending deployment by each of these bindings. */
async function succeed(id: string, ...bindings: string[]): Promise<JobDeployment[]> {
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: id });
  const ended = await transition(deployment, await read(id), { type: 'end', bindings: true, receipt });
  expect(ended).toMatchObject({ done: true });
  return await Promise.all(bindings.map((binding) => record(id, binding)));
}

async function record(job_id: string, binding: string): Promise<JobDeployment> {
  const at = { created_at: begun.started_at, due_at: begun.started_at };
  const pending = {
    job_id,
    attempt: 1,
    binding,
    name: binding,
    mode: 'custom',
    state: 'pending',
    attempts: 0,
  } as const;
  return (await deployment.deployments.replace(undefined, { ...pending, ...at })) as JobDeployment;
}

const begin = async (one: JobDeployment) => await beginCommands(deployment, await read(one.job_id), one, begun);

async function complete(running: Awaited<ReturnType<typeof begin>>): Promise<void> {
  if (typeof running !== 'object') throw new Error(`the commands did not begin: ${running}`);
  await deployment.deployments.replace(running, { ...running, state: 'succeeded', finished_at: begun.started_at });
  await finishDeployments(deployment, await read(running.job_id), 1);
}

it('commands of an agent and of the job that it started run one after the other, whichever are first', async () => {
  for (const isAgentFirst of [false, true]) {
    deployment = quietDeployment();
    await deployment.store(aRunningJob({ id: AGENT, shares_folder: true, tool_children: [CHILD] }));
    await claim(await deployment.store(startedIn(CHILD)));
    const all = [
      ...(await succeed(CHILD, 'staging', 'production')),
      ...(await succeed(AGENT, 'staging', 'production')),
    ];
    if (isAgentFirst) all.reverse();
    for (const [at, one] of all.entries()) {
      await deployment.pass(60_000);
      const running = await begin(one);
      expect(running, `command ${at}`).toMatchObject({ state: 'running' });
      for (const other of all.slice(at + 1)) {
        await deployment.pass(60_000);
        if (other.job_id !== one.job_id) expect(await begin(other)).toBe('busy');
      }
      await complete(running);
    }
  }
});

it('the commands of a child wait for the agent that started it, and act once it has ended', async () => {
  const [command] = (await succeed(CHILD, 'staging')) as [JobDeployment];
  expect(await begin(command)).toBe('busy');
  await succeed(AGENT);
  await deployment.pass(60_000);
  expect(await begin(command)).toMatchObject({ state: 'running' });
});

it('commands that wait for an agent do not keep a further job of it waiting, which it may wait for', async () => {
  const waits = { reason: 'folder_busy', parked: 'folder_busy', folder } as const;
  const second = await deployment.store(startedIn(SECOND, waits));
  await succeed(CHILD, 'staging');
  await wakeIfFree(deployment, folder);
  expect(await deployment.read(second)).toMatchObject({ reason: 'waiting_for_worker' });
  expect(await acquireFolder(deployment, await read(SECOND), folder)).toBe(true);
});

it('such a job waits for commands that run, and for all of them once its agent has ended', async () => {
  const second = await deployment.store(startedIn(SECOND));
  const [command] = (await succeed(CHILD, 'staging')) as [JobDeployment];
  const running = { ...command, ...begun, state: 'running', attempts: 1 } as const;
  const stored = (await deployment.deployments.replace(command, running)) as JobDeployment;
  expect(await acquireFolder(deployment, second, folder)).toBe(false);
  await deployment.deployments.replace(stored, { ...stored, state: 'pending' });
  await succeed(AGENT);
  expect(await acquireFolder(deployment, second, folder)).toBe(false);
});

it('it waits for all of them too if the agent that started its own agent still runs, in another folder', async () => {
  deployment = quietDeployment();
  await deployment.store(aRunningJob({ id: SECOND, tool_children: [AGENT] }));
  const agent = { id: AGENT, parent_id: SECOND, created_by: `job:${SECOND}` };
  await deployment.store(aRunningJob({ ...agent, shares_folder: true, tool_children: [CHILD] }));
  const child = await deployment.store(startedIn(CHILD));
  const [command] = (await succeed(AGENT, 'staging')) as [JobDeployment];
  expect(await acquireFolder(deployment, child, folder)).toBe(false);
  const running = await begin(command);
  await complete(running);
  expect(await acquireFolder(deployment, child, folder)).toBe(true);
});
