import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BindingSecretStore } from '../../../lib/bindings/binding-secrets.ts';
import { writeBinding } from '../../../lib/bindings/write-binding.ts';
import { viewDeployments } from '../../../lib/deployments/view-deployments.ts';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import { attemptsDue } from '../../../lib/jobs/lifecycle/effects.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { workingFolder } from '../../../lib/jobs/lifecycle/working-folder.ts';
import { runAttempt } from '../../../worker-container/attempt/run-attempt.ts';
import type { ServiceAccount } from '../../../worker-container/service-accounts/service-account.ts';
import { waitFor } from '../../local-run/local-service.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { openWorker } from '../../stand-ins/emulated-worker.ts';
import { describeAsRoot, newAccounts } from '../service-accounts/as-root.ts';
import { deployAll } from './deploy-all.ts';

let deployment: EmulatedDeployment;
let opened: Awaited<ReturnType<typeof openWorker>>;
const never = new AbortController().signal;

beforeAll(async () => {
  deployment = await emulateDeployment();
  opened = await openWorker(deployment);
});
afterAll(async () => await deployment.stop());

/** A job that succeeded in a project with these commands, none of them started. */
async function succeeded(project: string, commands: Readonly<Record<string, string>>): Promise<Job> {
  const { creation, worker } = opened;
  const { projects } = deployment;
  const secrets = new BindingSecretStore(deployment.registry);
  for (const [name, command] of Object.entries(commands)) {
    const context = { ...deployment, secrets, projects, reach: { loopback: false } };
    await writeBinding(context, { binding_mode: 'custom', project, name, command });
  }
  const { id } = await createJob(creation, { prompt: 'true', project }, 'token:test');
  const held = await deployment.dispatchQueues.receive('normal', 5);
  const job = await deployment.jobs.get(id, { consistent: true });
  if (job === undefined || held === undefined) throw new Error('the job was not created');
  const claimed = await transition(deployment, job, { type: 'claim', workerId: worker.workerId });
  if (!claimed.done) throw new Error(claimed.rejected);
  const ended = await runAttempt(worker, claimed.job, held, never);
  if (ended === undefined) throw new Error('its end was not reported');
  expect(ended.status).toBe('SUCCEEDED');
  expect(attemptsDue(ended, 'commands')).toEqual([1]);
  return ended;
}

/** The deployments of a job, as clients see them. */
const states = async ({ id }: Job) => {
  const job = await deployment.jobs.get(id, { consistent: true });
  const views = job === undefined ? [] : await viewDeployments(deployment, job);
  return views.map(({ name, state, attempts }) => [name, state, attempts]);
};

it('a stopping worker ends its command, reports it, and leaves the rest for another worker', async () => {
  const job = await succeeded('stopping', { a: 'trap "" TERM; touch begun; sleep 600', b: 'echo second' });
  const stopping = new AbortController();
  const running = deployAll(opened.worker, job, stopping.signal);
  const folder = workingFolder(deployment.folders, job) as { path: string };
  await waitFor(async () => (await readdir(folder.path)).includes('begun'));
  expect((await states(job))[0]).toEqual(['a', 'running', 1]);
  stopping.abort();
  await running;
  expect(await states(job)).toEqual([
    ['a', 'failed', 1],
    ['b', 'pending', 0],
  ]);
  await deployAll(opened.worker, job, never);
  expect(await states(job)).toEqual([
    ['a', 'failed', 1],
    ['b', 'succeeded', 1],
  ]);
  expect(await deployment.jobs.get(job.id, { consistent: true })).not.toHaveProperty('effects');
});

it('each command is run once and alone, however many workers get its message', async () => {
  const alone = 'set -e; mkdir busy; sleep 0.2; rmdir busy';
  const job = await succeeded('once', { a: `${alone}; echo x >> ran`, b: `${alone}; echo x >> ran; wc -l < ran` });
  await Promise.all(Array.from({ length: 4 }, () => deployAll(opened.worker, job, never)));
  await deployAll(opened.worker, job, never);
  expect(await states(job)).toEqual([
    ['a', 'succeeded', 1],
    ['b', 'succeeded', 1],
  ]);
  expect((await deployment.deployments.list(job.id))[1]?.log).toContain('\n2\n');
});

it('a command is skipped if its binding calls an address instead by then', async () => {
  const project = 'changed binding';
  const job = await succeeded(project, { a: 'touch ran' });
  const context = { ...deployment, secrets: new BindingSecretStore(deployment.registry), reach: { loopback: false } };
  const changed = { binding_mode: 'generic', target_url: 'https://hooks.example.com/' } as const;
  await writeBinding(context, { ...changed, project, name: 'a' });
  await deployAll(opened.worker, job, never);
  const [known] = await deployment.deployments.list(job.id);
  expect(known).toMatchObject({ state: 'skipped', attempts: 0, error: 'The binding was changed.' });
  const folder = workingFolder(deployment.folders, job) as { path: string };
  expect(await readdir(folder.path)).not.toContain('ran');
});

it.each([
  ['another command', { binding_mode: 'custom', command: 'true' }],
  ['a call', { binding_mode: 'generic', target_url: 'https://hooks.example.com/' }],
] as const)('the next turn waits for a command that runs, and not for %s of the job', async (after, second) => {
  const project = `continued before ${after}`;
  const context = { ...deployment, secrets: new BindingSecretStore(deployment.registry), reach: { loopback: false } };
  await writeBinding(context, { ...second, project, name: 'b' });
  const job = await succeeded(project, { a: 'until [ -e go ]; do sleep 0.05; done' });
  const deploying = deployAll(opened.worker, job, never);
  await waitFor(async () => (await states(job))[0]?.[1] === 'running');
  const next = await createJob(opened.creation, { continue: job.id, prompt: 'true' }, 'token:test');
  const read = async () => await deployment.jobs.get(next.id, { consistent: true });
  expect(await read()).toMatchObject({ parked: 'waiting_for_thread', waits_for: job.id });
  const folder = workingFolder(deployment.folders, job) as { path: string };
  await writeFile(join(folder.path, 'go'), '');
  await deploying;
  expect(await states(job)).toEqual([
    ['a', 'succeeded', 1],
    ['b', 'pending', 0],
  ]);
  expect(await read()).toMatchObject({ status: 'QUEUED', reason: 'waiting_for_worker' });
});

describeAsRoot('commands under an account', () => {
  it('get the folder of their job, which is closed when they have ended', async () => {
    const { env } = opened.worker;
    const [account] = newAccounts(1).slots as [ServiceAccount];
    const job = await succeeded('under an account', { a: 'id -u > made' });
    const folder = join(env.PROMPTQ_WORKSPACES, job.project_id, job.id);
    await chmod(dirname(env.PROMPTQ_WORKSPACES), 0o711);
    await chmod(env.PROMPTQ_WORK_DIR, 0o711);
    await deployAll({ ...opened.worker, account }, job, never);
    expect(await states(job)).toEqual([['a', 'succeeded', 1]]);
    const { uid, gid, mode } = await stat(folder);
    expect([await readFile(join(folder, 'work/made'), 'utf8'), uid, gid, mode & 0o777]).toEqual([
      `${account.uid}\n`,
      0,
      account.uid,
      0o700,
    ]);
  });
});

it('nothing is run for an attempt before the last, nor if commands are disabled', async () => {
  const retried = await succeeded('retried', { a: 'touch ran' });
  await transition(deployment, retried, { type: 'retry' });
  await deployAll(opened.worker, retried, never);
  expect(await states(retried)).toEqual([
    ['a', 'skipped', 0],
    ['a', 'succeeded', 1],
  ]);
  const off = await succeeded('off', { a: 'touch ran' });
  await deployAll({ ...opened.worker, commands: false }, off, never);
  expect(await states(off)).toEqual([['a', 'skipped', 0]]);
});

it('a project and a binding whose stored names hold NUL have their commands run', async () => {
  const job = await succeeded('named', { a: 'printf "%s of %s" "$PROMPTQ_BINDING" "$PROMPTQ_PROJECT"' });
  const binding = (await deployment.bindings.list(job.project_id)).at(0);
  if (binding === undefined) throw new Error('it has no binding');
  await deployment.bindings.replace(binding, { ...binding, name: 'a\0b' });
  await deployment.table.send(
    new UpdateCommand({
      TableName: deployment.env.JOBS_TABLE,
      Key: { id: job.id },
      UpdateExpression: 'SET #project = :name',
      ExpressionAttributeNames: { '#project': 'project' },
      ExpressionAttributeValues: { ':name': 'named\0twice' },
    }),
  );
  await deployAll(opened.worker, job, never);
  expect((await deployment.deployments.list(job.id))[0]).toMatchObject({
    state: 'succeeded',
    log: expect.stringContaining('a\u{fffd}b of named\u{fffd}twice'),
  });
});

it("a command's output is masked, and the end of a long one is kept", async () => {
  const commands = { a: 'seq 1 20000; echo "key $DEPLOY_KEY end"', b: `: ${'x'.repeat(70)} very-secret-key; exit 3` };
  const job = await succeeded('loud', commands);
  await deployment.profiles.put({ name: 'shell', agent: 'shell', env: { DEPLOY_KEY: { secret: 'DEPLOY_KEY' } } });
  const secrets = { read: async () => new Map([['DEPLOY_KEY', 'very-secret-key']]) };
  await deployAll({ ...opened.worker, secrets }, job, never);
  const [done, failed] = await deployment.deployments.list(job.id);
  expect(done).toMatchObject({ state: 'succeeded', log_truncated: true });
  expect(done?.log?.length).toBeLessThanOrEqual(16 * 1024);
  expect(done?.log?.endsWith('20000\nkey *** end\n')).toBe(true);
  // A command itself may hold one.
  expect(failed?.error).toBe(`Exit code 3: : ${'x'.repeat(70)} ***; ex…`);
  expect(failed?.log).toBe(`$ : ${'x'.repeat(70)} ***; exit 3\n`);
});
