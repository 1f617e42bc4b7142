import { expect, it } from 'vitest';
import { reconcileDeployments } from '../../../lib/deployments/reconcile-deployments.ts';
import { actInThread } from '../../../lib/jobs/admission/act-in-thread.ts';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import { settleThread } from '../../../lib/jobs/threads/settle-thread.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

/** A succeeded job with a command whose worker was lost, and a further binding of a mode. */
async function withLostCommand(mode: 'custom' | 'generic') {
  const deployment = quietDeployment();
  const ended = { status: 'SUCCEEDED', reason: 'exited', attempt: 1, agent: 'codex', profile: 'codex' } as const;
  const at = timestamp(deployment.clock.now());
  const id = 'job_00000000000000000000000001';
  const job = await deployment.store({ ...ended, id, bindings_pending: [1], finished_at: at });
  const one = { job_id: id, attempt: 1, attempts: 0, created_at: at, due_at: at };
  const running = { ...one, binding: 'a', name: 'a', mode: 'custom', state: 'running', worker_id: 'gone' } as const;
  await deployment.deployments.replace(undefined, running);
  await deployment.deployments.replace(undefined, { ...one, binding: 'b', name: 'b', mode, state: 'pending' });
  const project = { project_id: 'local_project', project: 'local_project' };
  const does = mode === 'custom' ? { command: 'true' } : { target_url: 'https://example.com/' };
  const binding = { ...project, id: 'b', name: 'b', binding_mode: mode, ...does, secrets: [] };
  await deployment.bindings.replace(undefined, { ...binding, created_at: at, updated_at: at });
  return { deployment, job };
}

it.each(['custom', 'generic'] as const)(
  'a turn that waited for a command whose worker was lost does not wait for a further binding: %s',
  async (mode) => {
    const { deployment, job } = await withLostCommand(mode);
    const next = await createJob(deployment, { continue: job.id, prompt: 'next' }, 'token:test');
    expect(await deployment.read(next)).toMatchObject({ parked: 'waiting_for_thread', waits_for: job.id });
    await reconcileDeployments(deployment);
    expect(await deployment.deployments.list(job.id)).toMatchObject([{ state: 'failed' }, { state: 'pending' }]);
    expect(await deployment.read(next)).toMatchObject({ status: 'QUEUED', reason: 'waiting_for_worker' });
    expect((await deployment.read(job))?.commands_held).toBe(mode === 'custom' ? true : undefined);
  },
);

it('further commands are not held when that turn has come to wait for a person', async () => {
  const { deployment, job } = await withLostCommand('custom');
  const next = await createJob(deployment, { continue: job.id, prompt: 'next' }, 'token:test');
  const last = await createJob(deployment, { continue: next.id, prompt: 'last' }, 'token:test');
  const turn = await deployment.read(next);
  if (turn === undefined) throw new Error('the turn is gone');
  const onFailure = (error: unknown) => {
    throw error;
  };
  await actInThread(deployment, turn, { type: 'cancel' }, { action: 'cancel', onFailure });
  expect(await deployment.read(last)).toMatchObject({ parked: 'waiting_for_thread', waits_for: job.id });
  await reconcileDeployments(deployment);
  expect(await deployment.read(last)).toMatchObject({ parked: 'thread_stopped' });
  expect((await deployment.read(job))?.commands_held).toBeUndefined();
});

it('commands are held while a fork is to copy the folder, and keep it from no other job', async () => {
  const { deployment, job } = await withLostCommand('custom');
  await reconcileDeployments(deployment);
  const fork = await createJob(deployment, { fork: job.id, prompt: 'other' }, 'token:test');
  await reconcileDeployments(deployment);
  expect(await deployment.read(job)).toMatchObject({ commands_held: true });
  const copied = await deployment.read(fork);
  if (copied === undefined) throw new Error('the fork is gone');
  await transition(deployment, copied, { type: 'cancel' });
  await settleThread(deployment, job.id);
  expect((await deployment.read(job))?.commands_held).toBeUndefined();
});
