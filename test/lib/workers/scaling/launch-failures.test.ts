import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { viewReason } from '../../../../lib/jobs/views/job-view.ts';
import { ScalingStore } from '../../../../lib/workers/scaling/scaling-store.ts';
import { WhyWaiting } from '../../../../lib/workers/scaling/why-waiting.ts';
import { scalingUnderTest } from './scaling-under-test.ts';

const scaling = scalingUnderTest();

const reasonOf = async (job: Job) => {
  const { registry, probes } = scaling.deployment;
  const [told = job] = await new WhyWaiting({ probes, scaling: new ScalingStore(registry) }).annotate([job]);
  return viewReason(told);
};

describe('a launch that fails', () => {
  test('is shown in the reason of waiting jobs, is retried after a pause, and uses none of their retries', async () => {
    const job = await scaling.queue();
    scaling.aws.courses.push({ start: 0, reason: 'Capacity is unavailable at this time. Please try again later' });
    await scaling.decide();
    expect(await reasonOf(job)).toEqual({
      code: 'waiting_for_worker',
      message:
        'Waiting for a free worker. No worker could be started: Capacity is unavailable at this time. Please try again later.',
      retryable: true,
      next_check_at: expect.any(String),
    });
    expect(scaling.lines).toContainEqual([
      'launch failed',
      { failures: 1, reason: expect.stringContaining('Capacity') },
    ]);
    expect(scaling.told).toEqual([{ LaunchFailures: 1 }]);
    const { Items = [] } = await scaling.deployment.table.send(
      new ScanCommand({
        TableName: scaling.deployment.registry.jobsTable,
        FilterExpression: 'attribute_exists(event)',
      }),
    );
    expect(Items.map(({ event }) => JSON.parse(event))).toEqual([
      expect.objectContaining({
        type: 'worker.launch_failed',
        subject: expect.objectContaining({ kind: 'worker', why: expect.stringContaining('Capacity') }),
      }),
    ]);
    expect((await scaling.decide()).launch).toBe(1);
    expect(scaling.aws.calls).toHaveLength(1);
    scaling.later = 16_000;
    await scaling.decide();
    expect(scaling.aws.tasks).toHaveLength(1);
    expect((await reasonOf(job)).message).toBe('Waiting for a free worker.');
    expect(await scaling.deployment.jobs.get(job.id, { consistent: true })).toEqual(job);
  });

  test('in part is completed later; the reason names the refusal, but no resources', async () => {
    for (let n = 0; n < 4; n += 1) await scaling.queue();
    scaling.aws.courses.push(
      { start: 1, reason: 'RESOURCE:FARGATE' },
      { refuse: 'AccessDeniedException', status: 400 },
    );
    await scaling.decide();
    expect(scaling.aws.tasks).toHaveLength(1);
    scaling.later = 16_000;
    await scaling.decide();
    const { failure } = await new ScalingStore(scaling.deployment.registry).read();
    expect(failure).toMatchObject({ times: 2, reason: 'AccessDeniedException' });
    scaling.later += 31_000;
    await scaling.decide();
    expect(scaling.aws.tasks).toHaveLength(4);
  });

  test('whose answer was lost is repeated, and starts nothing twice', async () => {
    await scaling.queue();
    await scaling.queue();
    scaling.aws.courses.push('unheard');
    await scaling.decide();
    expect(new Set(scaling.aws.calls.map(({ clientToken }) => clientToken)).size).toBe(1);
    expect(scaling.aws.tasks).toHaveLength(2);

    await scaling.queue();
    scaling.aws.courses.push(...Array.from({ length: 6 }, () => 'unheard' as const));
    await scaling.decide();
    expect(scaling.aws.tasks).toHaveLength(3);
    scaling.later = 16_000;
    await scaling.decide();
    expect(scaling.aws.tasks).toHaveLength(3);
    const { launches } = await new ScalingStore(scaling.deployment.registry).read();
    expect(launches.flatMap(({ tasks }) => tasks ?? ['unknown']).sort()).toEqual(['task0', 'task1', 'task2']);
  });

  test('whose task stops before it has registered is noticed and replaced', async () => {
    const job = await scaling.queue();
    await scaling.decide();
    const [task] = scaling.aws.tasks;
    if (task !== undefined)
      task.stopped = 'CannotPullContainerError: 123456789012.dkr.ecr.us-east-1.amazonaws.com/x: gone';
    scaling.later = 11_000;
    await scaling.decide();
    expect((await reasonOf(job)).message).toBe(
      'Waiting for a free worker. No worker could be started: CannotPullContainerError.',
    );
    scaling.later += 16_000;
    await scaling.decide();
    expect(scaling.aws.tasks).toHaveLength(2);
  });

  test('whose task never registers is replaced after three minutes, while the task still counts for the limit', async () => {
    for (let n = 0; n < 4; n += 1) await scaling.queue();
    await scaling.decide();
    scaling.later = 181_000;
    expect(await scaling.decide()).toMatchObject({ need: 4, started: 0, launch: 0 });
    for (const task of scaling.aws.tasks.slice(0, 2)) task.stopped = 'gone';
    scaling.later += 16_000;
    expect((await scaling.decide()).launch).toBe(2);
  });

  test('on Spot falls back to on-demand at once', async () => {
    await scaling.queue();
    scaling.aws.courses.push({ start: 0, reason: 'Capacity is unavailable at this time' });
    await scaling.decide({ PROMPTQ_SPOT_WEIGHT: '100' });
    expect(scaling.aws.calls.map(({ capacityProviderStrategy: [one] }) => one?.capacityProvider)).toEqual([
      'FARGATE_SPOT',
      'FARGATE',
    ]);
    expect(scaling.aws.tasks).toMatchObject([{ provider: 'FARGATE' }]);
  });
});
