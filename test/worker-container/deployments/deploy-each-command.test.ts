import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { folderName } from '../../../lib/jobs/admission/folder-slots.ts';
import { aJob, aRunningJob } from '../../lib/jobs/a-job.ts';
import { deployingWorker, ID } from './a-deploying-worker.ts';

const NEXT = 'job_00000000000000000000000002';
const AT = '2026-11-20T10:00:00.000Z';

it('the commands of all bindings are run once, and the job is done with them', async () => {
  const { deploy, commands, states, records, read } = await deployingWorker({ a: {}, b: {} });
  await deploy();
  await deploy();
  expect([commands(), await states()]).toEqual([
    ['a', 'b'],
    ['a succeeded', 'b succeeded'],
  ]);
  expect((await records())[0]).toMatchObject({ attempts: 1, worker_id: 'worker-1', finished_at: expect.any(String) });
  expect(await read()).not.toHaveProperty('bindings_pending');
});

it('a job that was removed has no commands', async () => {
  const { deploy } = await deployingWorker({});
  await expect(deploy({}, 'job_removed')).resolves.toBeUndefined();
});

it('the job is read as it was last written', async () => {
  const { deploy, commands } = await deployingWorker({ a: {} }, { lag: 60_000 });
  await deploy();
  expect(commands()).toEqual(['a']);
});

it('a job whose bindings are done has no commands run', async () => {
  const { deploy, commands } = await deployingWorker({ a: {} }, { job: { bindings_pending: undefined } });
  await deploy();
  expect(commands()).toEqual([]);
});

it('a call is left to the caller, and a binding that has acted does not act twice', async () => {
  const call = { binding_mode: 'generic', target_url: 'https://hooks.example.com/' } as const;
  const { deploy, commands, states, change } = await deployingWorker({ a: call, b: {}, c: {} });
  await change('b', { state: 'failed' });
  await deploy();
  expect([commands(), await states()]).toEqual([['c'], ['a pending', 'b failed', 'c succeeded']]);
});

it('a worker leaves the commands of a job to the one that runs another of them', async () => {
  const { deploy, commands, states, change } = await deployingWorker({ a: {}, b: {} });
  await change('b', { state: 'running' });
  await deploy();
  expect([commands(), await states()]).toEqual([[], ['a pending', 'b running']]);
});

it('a command that another worker has begun meanwhile is left to that worker, and its job stays as it is', async () => {
  const { deploy, commands, records, change, deployment, read } = await deployingWorker({ a: {} });
  const { version } = await read();
  const replace = deployment.deployments.replace.bind(deployment.deployments);
  deployment.deployments.replace = async (...marking) => {
    deployment.deployments.replace = replace;
    await change('a', { state: 'running', worker_id: 'worker-2' });
    return await replace(...marking);
  };
  await deploy();
  expect([commands(), (await read()).version]).toEqual([[], version]);
  expect(await records()).toMatchObject([{ state: 'running', worker_id: 'worker-2' }]);
});

it('a worker that stops leaves what has not begun to another one', async () => {
  const { deploy, commands, states, stopping, deployment } = await deployingWorker({ a: {} });
  stopping.abort();
  await deploy();
  expect([commands(), await states()]).toEqual([[], ['a pending']]);
  expect(deployment.sent).toMatchObject([{ job: ID }]);
});

it('commands wait for the next turn of their thread, and are marked so', async () => {
  const { deploy, commands, deployment, read } = await deployingWorker({ a: {} }, { job: { thread_id: ID, turn: 1 } });
  await deployment.store(aJob({ id: NEXT, thread_id: ID, turn: 2, continues: ID }));
  await deployment.threads.put(ID, { turn: 2, jobId: NEXT });
  await deploy();
  expect([commands(), (await read()).commands_held]).toEqual([[], true]);
});

it('a turn that waits for a command starts when that has ended, though a call of the job is still due', async () => {
  const call = { binding_mode: 'generic', target_url: 'https://hooks.example.com/' } as const;
  const { deploy, deployment, read } = await deployingWorker({ a: {}, b: call }, { job: { thread_id: ID, turn: 1 } });
  const next = { id: NEXT, thread_id: ID, turn: 2, continues: ID, waits_for: ID } as const;
  const runCommand = async () => {
    await deployment.store(aJob({ ...next, parked: 'waiting_for_thread', reason: 'waiting_for_thread' }));
    await deployment.threads.put(ID, { turn: 2, jobId: NEXT });
    return { ended: 'exited', exit: { exitCode: 0, signal: null }, survivors: [] };
  };
  await deploy({ machine: { runCommand } });
  expect(await read(NEXT)).not.toHaveProperty('parked');
});

it('commands wait for a job in their folder, and say so', async () => {
  const { deploy, commands, deployment, records, read } = await deployingWorker(
    { a: {} },
    { job: { follow_ups: ['1.0'] } },
  );
  const folder = folderName(deployment.folders, await read()) ?? '';
  await deployment.store(aRunningJob({ id: NEXT, folder, cwd: ID, folder_of: ID, parent_id: ID }));
  await deployment.slots.replace(folder, undefined, { job_id: NEXT, job_version: 1, taken_at: AT });
  await deploy();
  expect(commands()).toEqual([]);
  expect(await records()).toMatchObject([{ state: 'pending', pending_reason: 'folder_busy' }]);
});

it.each([
  ['commands are turned off', "This deployment's bindings run no commands.", { commands: false }, {}],
  ['the job was retried', 'The job was run again before.', {}, { status: 'QUEUED', reason: 'waiting_for_worker' }],
  ['the job has succeeded twice', 'The job was run again before.', {}, { attempt: 2, bindings_pending: [1, 2] }],
] as const)('commands are skipped because %s', async (_, error, changes, job) => {
  const { deploy, commands, records } = await deployingWorker({ a: {} }, { job: job as object });
  await deploy(changes);
  expect(commands()).toEqual([]);
  expect(await records()).toMatchObject([{ state: 'skipped', error }]);
});

it('commands of a binding that was deleted are skipped', async () => {
  const { deploy, commands, records, deployment } = await deployingWorker({ a: {} });
  const [binding] = await deployment.bindings.list();
  if (binding !== undefined) await deployment.bindings.delete(binding);
  await deploy();
  expect(commands()).toEqual([]);
  expect(await records()).toMatchObject([{ state: 'skipped', error: 'The binding was deleted.' }]);
});

it('results are discarded, with a warning, once the worker was taken for lost', async () => {
  const { deploy, change, states, warnings } = await deployingWorker({ a: {} });
  const runCommand = async () => {
    await change('a', { state: 'failed' });
    return { ended: 'exited', exit: { exitCode: 0, signal: null }, survivors: [] };
  };
  await deploy({ machine: { runCommand } });
  expect([await states(), warnings]).toEqual([
    ['a failed'],
    ['results of commands discarded: reconcile-jobs marked them as lost'],
  ]);
});

it('a folder in which no job may work has no commands run', async () => {
  const { deploy, commands, records } = await deployingWorker({ a: {} }, { job: { cwd: '/etc' } });
  await deploy();
  expect(commands()).toEqual([]);
  expect(await records()).toMatchObject([{ state: 'failed', error: expect.stringMatching(/^cwd: /) }]);
});

it('a folder that is gone is not made again for a command', async () => {
  const root = await mkdtemp(join(tmpdir(), 'promptq-gone-'));
  onTestFinished(async () => await rm(root, { recursive: true }));
  const { deploy, ran } = await deployingWorker({ a: {} });
  await deploy({ folders: { workspaces: root, roots: [] } });
  expect(ran[0]?.cwd).toBe(join(root, 'local_project', ID, 'work'));
  expect(existsSync(join(root, 'local_project'))).toBe(false);
});
