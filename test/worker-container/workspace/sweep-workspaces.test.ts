import { mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Logger } from '@aws-lambda-powertools/logger';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobIdOf } from '../../../lib/jobs/lifecycle/cause.ts';
import { randomJobId } from '../../../lib/jobs/lifecycle/job-id.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { SWEEP_LOCK, sweepWorkspaces, WorkspaceSweeper } from '../../../worker-container/workspace/sweep-workspaces.ts';
import { followUpOf } from '../../lib/jobs/a-job.ts';

import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
const silent = new Logger({ logLevel: 'SILENT' });
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

test("folders of jobs that ended long ago are deleted, with their worktrees' records; all others stay", async () => {
  const workspaces = deployment.env.PROMPTQ_WORKSPACES;
  const { clock, jobs, threads, locks } = deployment;
  const folder = async (name: string) => await mkdir(join(workspaces, 'app', name, 'within'), { recursive: true });
  const ended = async (days: number) => {
    const finished_at = timestamp(clock.now() - days * 86_400_000);
    const { id } = await deployment.store({ id: randomJobId(), status: 'FAILED', reason: 'exited', finished_at });
    await folder(id);
    return id;
  };
  const [old, young] = [await ended(8), await ended(6)];
  // A thread whose first job ended long ago, and whose second waits.
  const first = await ended(9);
  const thread = await deployment.jobs.get(first, { consistent: true });
  if (thread !== undefined) await jobs.apply(thread, { ...thread, thread_id: first, turn: 1 });
  const second = await deployment.store({ id: randomJobId(), thread_id: first, turn: 2, folder_of: first });
  await threads.put(first, { turn: 2, jobId: second.id });
  // A job that ended long ago, whose follow-up works in its folder and waits in the middle of a thread.
  const parent = await ended(9);
  const child = jobIdOf({ kind: 'follow_up', job: parent, attempt: 1, position: 0 });
  const known = await deployment.jobs.get(parent, { consistent: true });
  if (known !== undefined) await jobs.apply(known, { ...known, follow_ups: ['1.0'] });
  const longEnded = { status: 'SUCCEEDED', finished_at: timestamp(clock.now() - 9 * 86_400_000) } as const;
  await deployment.store({
    id: child,
    ...longEnded,
    ...followUpOf(parent),
    folder_of: parent,
    thread_id: child,
    turn: 1,
  });
  const later = await deployment.store({ id: randomJobId(), thread_id: child, turn: 2, folder_of: parent });
  await threads.put(child, { turn: 2, jobId: later.id });
  const { id: running } = await deployment.store({ id: randomJobId(), status: 'RUNNING', reason: 'running' });
  const unknown = randomJobId();
  for (const name of [running, unknown, 'named-by-a-cwd', `${randomJobId()}.going`]) await folder(name);
  const clone = join(workspaces, '.repositories', 'app-0123.git', 'worktrees');
  for (const id of [old, young]) await mkdir(join(clone, id), { recursive: true });
  // What a job has put in a clone in the place of a folder.
  const led = join(workspaces, '..', 'led', old);
  await mkdir(led, { recursive: true });
  await mkdir(join(workspaces, '.repositories', 'app-4567.git', 'refs', 'heads'), { recursive: true });
  for (const link of ['worktrees', 'refs/heads/promptq'])
    await symlink(dirname(led), join(workspaces, '.repositories', 'app-4567.git', link));

  const kept = join(workspaces, '.repositories', 'app-4567', 'worktrees');
  await mkdir(kept, { recursive: true });
  for (const id of [old, young]) await writeFile(join(kept, `${id}.json`), '{}');
  // One of the earlier layout that nothing is left of.
  const unused = join(workspaces, '.repositories', 'app-89ab.git');
  await mkdir(join(unused, 'objects'), { recursive: true });
  const longAgo = (clock.now() - 8 * 86_400_000) / 1000;
  await utimes(unused, longAgo, longAgo);

  const sweep = { workspaces, days: 7, jobs, threads, locks, clock, workerId: 'one', log: silent };
  expect(await sweepWorkspaces({ ...sweep, days: 0 })).toBe(0);
  expect(await sweepWorkspaces(sweep)).toBe(2);
  expect((await readdir(join(workspaces, 'app'))).toSorted()).toEqual(
    [young, first, parent, running, unknown, 'named-by-a-cwd'].toSorted(),
  );
  expect(await readdir(clone)).toEqual([young]);
  expect(await readdir(dirname(led))).toEqual([old]);
  expect(await readdir(kept)).toEqual([`${young}.json`]);
  expect((await readdir(join(workspaces, '.repositories'))).toSorted()).toEqual([
    'app-0123.git',
    'app-4567',
    'app-4567.git',
  ]);

  await folder(old);
  expect(await sweepWorkspaces({ ...sweep, workerId: 'another' })).toBe(0);
});

test("a job that can't be read, and what an earlier removal left, keep no other folder", async () => {
  const { clock, jobs, threads, locks } = deployment;
  const workspaces = join(deployment.env.PROMPTQ_WORKSPACES, 'others');
  const finished_at = timestamp(clock.now() - 8 * 86_400_000);
  const ids = Array.from({ length: 3 }, () => randomJobId());
  for (const id of ids) {
    await deployment.store({ id, status: 'FAILED', reason: 'exited', finished_at });
    for (const name of [id, `${id}.going`]) await mkdir(join(workspaces, 'app', name, 'within'), { recursive: true });
  }
  const damaged = randomJobId();
  await deployment.table.send(
    new PutCommand({ TableName: deployment.env.JOBS_TABLE, Item: { id: damaged, status: 'FAILED', attempt: 'one' } }),
  );
  await mkdir(join(workspaces, 'app', damaged));
  await locks.release(SWEEP_LOCK, 'one');
  await sweepWorkspaces({ workspaces, days: 7, jobs, threads, locks, clock, workerId: 'two', log: silent });
  expect(await readdir(join(workspaces, 'app'))).toEqual([damaged]);
});

test('the next worker continues a sweep that the end of its worker cuts off', async () => {
  const { clock, jobs, threads, locks } = deployment;
  const workspaces = join(deployment.env.PROMPTQ_WORKSPACES, 'cut-off');
  const finished_at = timestamp(clock.now() - 8 * 86_400_000);
  const { id } = await deployment.store({ id: randomJobId(), status: 'FAILED', reason: 'exited', finished_at });
  await mkdir(join(workspaces, 'app', id), { recursive: true });
  await locks.release(SWEEP_LOCK, 'two');
  const sweep = { workspaces, days: 7, jobs, threads, locks, clock, workerId: 'three', log: silent };
  const begun = Promise.withResolvers<void>();
  const find = async () => {
    begun.resolve();
    return await new Promise<never>(() => undefined);
  };
  const sweeper = new WorkspaceSweeper({ ...sweep, jobs: { find, findAll: jobs.findAll.bind(jobs) } });
  sweeper.start();
  await begun.promise;
  expect(await sweepWorkspaces({ ...sweep, workerId: 'four' })).toBe(0);
  await sweeper.stop();
  expect(await sweepWorkspaces({ ...sweep, workerId: 'four' })).toBe(1);
});
