import { expect, it } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { reconcile } from '../../../lib/reconciler/reconciler.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aRunningJob } from '../jobs/a-job.ts';

it('one round completes what the processes that were to do it left undone', async () => {
  const deployment = quietDeployment();
  const inSeconds = (seconds: number) => timestamp(deployment.clock.now() + seconds * 1000);
  const store = async (id: string, job: Partial<Job>) => await deployment.store({ ...job, id });
  await store('job_limited', { reason: 'usage_limit', parked: 'usage_limit', due_at: inSeconds(-1) });
  const question = { id: 'q_1', state: 'open', due: inSeconds(-1) } as const;
  await store('job_asks', { attempt: 1, reason: 'question', parked: 'question', due_at: question.due, question });
  await store('job_busy', { reason: 'profile_busy', parked: 'profile_busy' });
  await store('job_lost', aRunningJob({ lease_until: inSeconds(-1) }));
  await store('job_runs', aRunningJob({ lease_until: inSeconds(60) }));
  await store('job_stale', { project_id: 'other', queued_at: inSeconds(-90) });
  await store('job_new', { project_id: 'new', created_at: inSeconds(-1), queued_at: inSeconds(-1) });

  const { takenOver } = await reconcile(deployment);
  expect(takenOver.map(({ id }) => id)).toEqual(['job_lost']);
  const after = async (id: string) => {
    const { reason, probing } = (await deployment.read({ id })) ?? {};
    return { reason, probing };
  };
  expect(await after('job_limited')).toEqual({ reason: 'waiting_for_worker', probing: 'usage_limit' });
  expect((await after('job_asks')).reason).not.toBe('question');
  expect(await after('job_busy')).toEqual({ reason: 'waiting_for_worker' });
  const sent = () => new Set(deployment.sent.map(({ job }) => job));
  expect(sent()).toContain('job_stale');
  expect(sent()).not.toContain('job_new');
  expect(sent()).not.toContain('job_runs');

  await reconcile(deployment, { redrive: true });
  expect(sent()).toContain('job_new');
  expect(sent()).toContain('job_runs');
});
