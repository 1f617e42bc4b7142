import { expect, it } from 'vitest';
import { reconcileDeployments } from '../../../lib/deployments/reconcile-deployments.ts';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';

it.each(['custom', 'generic'] as const)(
  'a turn that waited for a command whose worker was lost does not wait for a further binding: %s',
  async (mode) => {
    const deployment = quietDeployment();
    const ended = { status: 'SUCCEEDED', reason: 'exited', attempt: 1, agent: 'codex', profile: 'codex' } as const;
    const at = timestamp(deployment.clock.now());
    const job = await deployment.store({
      ...ended,
      ...{ id: 'job_00000000000000000000000001', bindings_pending: [1], finished_at: at },
    });
    const one = { job_id: job.id, attempt: 1, attempts: 0, created_at: at, due_at: at };
    const running = { ...one, binding: 'a', name: 'a', mode: 'custom', state: 'running', worker_id: 'gone' } as const;
    await deployment.deployments.replace(undefined, running);
    await deployment.deployments.replace(undefined, { ...one, binding: 'b', name: 'b', mode, state: 'pending' });
    const next = await createJob(deployment, { continue: job.id, prompt: 'next' }, 'token:test');
    expect(await deployment.read(next)).toMatchObject({ parked: 'waiting_for_thread', waits_for: job.id });
    await reconcileDeployments(deployment);
    expect(await deployment.deployments.list(job.id)).toMatchObject([{ state: 'failed' }, { state: 'pending' }]);
    expect(await deployment.read(next)).toMatchObject({ status: 'QUEUED', reason: 'waiting_for_worker' });
    expect((await deployment.read(job))?.commands_held).toBe(mode === 'custom' ? true : undefined);
  },
);
