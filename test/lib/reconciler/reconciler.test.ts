import { expect, it } from 'vitest';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { timestamp } from '../../../lib/platform/aws/table-clock.ts';
import { reconcile } from '../../../lib/reconciler/reconciler.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aRunningJob } from '../jobs/a-job.ts';

const ENDED = { status: 'SUCCEEDED', reason: 'exited', attempt: 1, finished_at: '2026-11-20T10:00:00.000Z' } as const;

it('one round completes what the processes that were to do it left undone', async () => {
  const deployment = quietDeployment();
  const inSeconds = (seconds: number) => timestamp(deployment.clock.now() + seconds * 1000);
  const store = async (id: string, job: Partial<Job>) => await deployment.store({ ...job, id });
  await store('job_told', { ...ENDED, messages: 0, messages_pending: true });
  await store('job_first', { ...ENDED, thread_id: 'job_first', turn: 1, thread_pending: true });
  const waits = { reason: 'waiting_for_thread', parked: 'waiting_for_thread', waits_for: 'job_first' } as const;
  await store('job_second', { thread_id: 'job_first', turn: 2, ...waits });
  await deployment.threads.put('job_first', { turn: 2, jobId: 'job_second' });
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
    const { reason, probing, messages_pending, thread_pending } = (await deployment.read({ id })) ?? {};
    return { reason, probing, messages_pending, thread_pending };
  };
  expect(await after('job_told')).toEqual({ reason: 'exited' });
  expect(await after('job_first')).toEqual({ reason: 'exited' });
  expect(await after('job_second')).toEqual({ reason: 'waiting_for_worker' });
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
