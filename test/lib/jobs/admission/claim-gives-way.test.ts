import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { type Claim, claim } from '../../../../lib/jobs/admission/claim.ts';
import { enterThread } from '../../../../lib/jobs/admission/enter-thread.ts';
import { folderName } from '../../../../lib/jobs/admission/folder-slots.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { settingsKey } from '../../../../lib/projects/project-settings.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

const id = (last: number) => `job_0000000000000000000000000${last}`;
const THREAD = id(1);
const PROJECT = 'local_project';
const IN_FOLDER = { cwd: 'shared' } as const;
const NARROW = { profile: 'narrow' } as const;

/** A project whose folders one job at a time uses, and a profile of which one job at a time runs. */
async function narrowDeployment(): Promise<QuietDeployment> {
  const deployment = quietDeployment();
  const Item = { ...settingsKey(PROJECT), settings: { exclusive_cwd: true } };
  await deployment.table.send(new PutCommand({ TableName: deployment.env.REGISTRY_TABLE, Item }));
  await deployment.profiles.put({ name: NARROW.profile, agent: 'shell', concurrency: 1 });
  return deployment;
}

/** By a message of the job, which no index lists. */
async function claimOf(deployment: QuietDeployment, job: Job): Promise<Claim['kind']> {
  const message = { v: 1, band: 'normal', project: PROJECT, job: job.id } as const;
  const context = { ...deployment, readReady: async () => [] };
  return (await claim(context, { message, handle: '', receives: 2 }, 'worker')).kind;
}

/** A job that waits for the folder, whatever its profile allows. */
async function waitsForFolder(deployment: QuietDeployment, last: number): Promise<Job> {
  const folder = folderName(deployment.folders, aJob(IN_FOLDER));
  const waits = { reason: 'folder_busy', parked: 'folder_busy', folder } as const;
  return await deployment.store({ id: id(last), ...IN_FOLDER, ...waits });
}

async function waitsForProfile(deployment: QuietDeployment, last: number, profile: string): Promise<Job> {
  return await deployment.store({ id: id(last), profile, reason: 'profile_busy', parked: 'profile_busy' });
}

const reasonOf = async (deployment: QuietDeployment, job: Job) => (await deployment.read(job))?.reason;

it('a turn does not start while the claim of another turn may succeed', async () => {
  const deployment = quietDeployment();
  const ended = { status: 'SUCCEEDED', reason: 'exited', attempt: 1 } as const;
  const first = await deployment.store(aJob({ id: THREAD, thread_id: THREAD, turn: 1, ...ended }));
  const second = await deployment.store(aJob({ id: id(2), thread_id: THREAD, turn: 2 }));
  await deployment.threads.put(THREAD, { turn: 2, jobId: second.id });
  expect(await enterThread(deployment, second)).toMatchObject({ mayEnter: true });
  const retried = await transition(deployment, first, { type: 'retry' });
  expect(await claimOf(deployment, retried.job ?? first)).toBe('retry_later');
  expect(await deployment.read(first)).toMatchObject({ status: 'QUEUED' });
});

it('a turn that has to wait in its thread leaves the folder and the slot that it was woken for to others', async () => {
  const deployment = await narrowDeployment();
  await deployment.store(aJob({ id: THREAD, thread_id: THREAD, turn: 1 }));
  const second = await deployment.store(aJob({ id: id(2), thread_id: THREAD, turn: 2, ...IN_FOLDER }));
  await deployment.threads.put(THREAD, { turn: 2, jobId: second.id });
  const others = [await waitsForFolder(deployment, 3), await waitsForProfile(deployment, 4, second.profile)];
  expect(await claimOf(deployment, second)).toBe('retry_later');
  expect(await reasonOf(deployment, second)).toBe('waiting_for_thread');
  for (const other of others) expect(await reasonOf(deployment, other)).toBe('waiting_for_worker');
});

it('a job that has to wait for its profile leaves the folder that it was woken for to others', async () => {
  const deployment = await narrowDeployment();
  expect(await claimOf(deployment, await deployment.store({ id: id(1), ...NARROW }))).toBe('claimed');
  const job = await deployment.store({ id: id(2), ...NARROW, ...IN_FOLDER });
  const other = await waitsForFolder(deployment, 3);
  expect(await claimOf(deployment, job)).toBe('retry_later');
  expect(await reasonOf(deployment, job)).toBe('profile_busy');
  expect(await reasonOf(deployment, other)).toBe('waiting_for_worker');
});

it('a job that has to wait for its folder leaves the slot of its profile to others', async () => {
  const deployment = await narrowDeployment();
  expect(await claimOf(deployment, await deployment.store({ id: id(1), ...IN_FOLDER }))).toBe('claimed');
  const job = await deployment.store({ id: id(2), ...NARROW, ...IN_FOLDER });
  const other = await waitsForProfile(deployment, 3, NARROW.profile);
  expect(await claimOf(deployment, job)).toBe('retry_later');
  expect(await reasonOf(deployment, job)).toBe('folder_busy');
  expect(await reasonOf(deployment, other)).toBe('waiting_for_worker');
});
