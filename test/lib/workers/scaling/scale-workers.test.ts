import { describe, expect, test } from 'vitest';
import { started } from '../../../../lib/accounts/account.ts';
import { AccountStore } from '../../../../lib/accounts/account-store.ts';
import { ScalingStore } from '../../../../lib/workers/scaling/scaling-store.ts';
import { aRunningJob } from '../../jobs/a-job.ts';
import { scalingUnderTest } from './scaling-under-test.ts';

const scaling = scalingUnderTest();

describe('from zero', () => {
  test('a job that appears has it decided at once, and one task of the deployed revision is started for it', async () => {
    await scaling.queue();
    expect(scaling.aws.invoked).toEqual(['promptq-scale-workers']);
    expect(await scaling.handle()).toEqual({ need: 1, started: 0, launch: 1 });
    expect(scaling.aws.calls).toMatchObject([
      {
        cluster: 'cluster',
        taskDefinition: 'worker:1',
        count: 1,
        capacityProviderStrategy: [{ capacityProvider: 'FARGATE' }],
      },
    ]);
    expect(await scaling.handle()).toEqual({ need: 1, started: 1, launch: 0 });
    await scaling.register(scaling.aws.tasks[0]?.id ?? '');
    expect(await scaling.handle()).toEqual({ need: 1, started: 1, launch: 0 });
    expect(scaling.aws.calls).toHaveLength(1);
  });

  test('many concurrent decisions start as many as one would', async () => {
    for (let n = 0; n < 3; n += 1) await scaling.queue();
    await Promise.all(Array.from({ length: 6 }, scaling.handle));
    expect(scaling.aws.tasks).toHaveLength(3);
  });

  test('what runs, ends or waits for the vendor is no news, and nothing is started for it', async () => {
    const parked = await scaling.queue({ reason: 'account_required', parked: 'account_required' });
    const ended = await scaling.queue({ status: 'SUCCEEDED', reason: 'exited' });
    await scaling.change(ended, { ...ended, version: 2 });
    expect(scaling.aws.invoked).toEqual([]);
    expect((await scaling.handle()).launch).toBe(0);
    const { parked: _parked, ...free } = parked;
    await scaling.change(parked, { ...free, reason: 'waiting_for_worker' });
    expect(scaling.aws.invoked).toHaveLength(1);
  });

  test('a job that is not due needs no worker before it is', async () => {
    await scaling.queue({
      reason: 'retry_backoff',
      due_at: new Date(scaling.begun + 60_000).toISOString(),
    });
    expect((await scaling.decide()).launch).toBe(0);
    scaling.later = 61_000;
    expect((await scaling.decide()).launch).toBe(1);
  });

  test('a login, and commands of a binding, start one each', async () => {
    const { registry } = scaling.deployment;
    const accounts = new AccountStore({ ...registry, world: 'practice' });
    await accounts.change('codex', (account, now) => started(account, 'login', now));
    expect((await scaling.handle()).launch).toBe(1);
    const cause = { kind: 'system', name: 'deploy', job: 'job_a', attempt: 1, key: '1 p.deploy' } as const;
    await scaling.queue({ cause });
    expect(await scaling.handle()).toEqual({ need: 2, started: 1, launch: 1 });
  });
});

describe('workers that are there', () => {
  test('are not counted on once they leave, or are outdated', async () => {
    const idle = await scaling.register('a');
    await scaling.queue();
    expect((await scaling.handle()).launch).toBe(0);
    await scaling.register('a', { leaving: 'idle' });
    expect((await scaling.handle()).launch).toBe(1);
    await scaling.deployment.workers.deregister(idle);
    await scaling.register(scaling.aws.tasks[0]?.id ?? '');
    expect((await scaling.handle()).launch).toBe(0);
    scaling.aws.deploy(2);
    expect((await scaling.handle()).launch).toBe(1);
    expect(scaling.aws.calls.at(-1)?.taskDefinition).toBe('worker:2');
    expect((await new ScalingStore(scaling.deployment.registry).read()).wanted).toBe('worker:2');
  });

  test('hand their jobs back when they are stopped, so that these need others, but finish them when they are idle', async () => {
    const { id } = await scaling.queue(aRunningJob());
    await scaling.register('a', { running: [id], leaving: 'outdated' });
    expect((await scaling.handle()).launch).toBe(0);
    await scaling.register('a', { running: [id], leaving: 'stopped' });
    expect((await scaling.handle()).launch).toBe(1);
  });

  test('are never more than there may be', async () => {
    for (let n = 0; n < 9; n += 1) await scaling.queue();
    expect(await scaling.handle()).toEqual({ need: 4, started: 0, launch: 4 });
    await Promise.all(scaling.aws.tasks.map(({ id }) => scaling.register(id, { leaving: 'idle' })));
    expect((await scaling.handle()).launch).toBe(0);
  });
});
