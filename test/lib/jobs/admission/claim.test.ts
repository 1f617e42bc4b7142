import type { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claim } from '../../../../lib/jobs/admission/claim.ts';
import type { ReceivedMessage } from '../../../../lib/jobs/dispatch/dispatch-queues.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { JobStore } from '../../../../lib/jobs/store/job-store.ts';
import { oneAtATime } from '../../../../lib/platform/one-at-a-time.ts';
import { type EmulatedDeployment, emulateDeployment, inStillTime } from '../../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

const id = (name: string) => jobIdOfKey(`claim test ${name}`);

function permitOf(job: string, project: string, receives = 1): ReceivedMessage {
  return { message: { v: 1, band: 'normal', project, job }, handle: 'handle', receives };
}

describe('a dispatch message', () => {
  it('waits a moment for a job whose write it has overtaken', async () => {
    const overtaken = id('overtaken');
    const pause = async () => void (await deployment.store({ id: overtaken, project_id: 'p-overtaken' }));
    const claimed = await claim({ ...deployment, pause }, permitOf(overtaken, 'p-overtaken'), 'worker-1');
    expect(claimed).toMatchObject({ kind: 'claimed', job: { id: overtaken } });
  });

  it('claims the highest priority first, then the longest wait', async () => {
    const project = 'p-order';
    const at = (second: number) => `2026-11-20T10:00:0${second}.000Z`;
    for (const [name, priority, second] of [
      ['a', -2, 1],
      ['b', -1, 3],
      ['c', -1, 2],
      ['d', -9_007_199_254_740_991, 0],
    ] as const) {
      await deployment.store({
        id: id(name),
        project_id: project,
        priority,
        created_at: at(second),
        queued_at: at(second),
      });
    }
    const order: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const held = { ...permitOf(id('a'), project), message: { v: 1, band: 'low', project, job: id('a') } } as const;
      const claimed = await claim(deployment, held, 'worker-1');
      if (claimed.kind === 'claimed') order.push(claimed.job.id);
    }
    expect(order).toEqual([id('c'), id('b'), id('a'), id('d')]);
  });

  it("is not competed for by one worker's slots: each claims the best job that is left", async () => {
    const project = 'p-slots';
    const jobs = Array.from({ length: 16 }, (_, n) => id(`slots ${n}`));
    for (const [n, job] of jobs.entries()) await deployment.store({ id: job, project_id: project, priority: n - 20 });
    const messages = jobs.slice(0, 8).map((job) => ({ v: 1, band: 'low', project, job }) as const);
    const claims = await Promise.all(
      messages.map((message) => claim(deployment, { message, handle: '', receives: 1 }, 'worker-1')),
    );
    const claimed = claims.map((result) => (result.kind === 'claimed' ? result.job.id : ''));
    expect(claimed).toEqual(jobs.slice(8).toReversed());
  });

  it('is won by exactly one of many concurrent claimers', async () => {
    const project = 'p-race';
    await deployment.store({ id: id('race'), project_id: project });
    const claims = await Promise.all(
      Array.from({ length: 16 }, (_, n) =>
        claim({ ...deployment, inTurn: oneAtATime() }, permitOf(id('race'), project), `worker-${n}`),
      ),
    );
    const won = claims.filter((claimed) => claimed.kind === 'claimed');
    expect(won).toHaveLength(1);
    expect(await deployment.jobs.get(id('race'), { consistent: true })).toMatchObject({
      status: 'RUNNING',
      attempt: 1,
      version: 2,
    });
  });

  it('claims its own job when the index shows nothing yet', async () => {
    const project = 'p-stale';
    await deployment.store({ id: id('stale'), project_id: project });
    const claimed = await claim(
      { ...deployment, readReady: async () => [] },
      permitOf(id('stale'), project),
      'worker-1',
    );
    expect(claimed).toMatchObject({ kind: 'claimed', job: { id: id('stale') } });
  });

  it('that overtook its job is retried a few times before it is deleted', async () => {
    const kinds = [];
    for (const receives of [1, 2, 3, 4, 5])
      kinds.push((await claim(deployment, permitOf(id('missing'), 'p-none', receives), 'w')).kind);
    expect(kinds).toEqual(['retry_later', 'retry_later', 'retry_later', 'retry_later', 'acknowledge']);
  });

  it('that busy workers have passed on is kept while its job may still be written', async () => {
    const still = inStillTime(deployment);
    const sentAt = still.clock.now() - 1_000;
    const young = { ...permitOf(id('missing'), 'p-none', 9), sentAt };
    expect(await claim(still, young, 'w')).toEqual({ kind: 'retry_later', seconds: 3 });
    expect(await claim(still, { ...young, sentAt: sentAt - 12_000 }, 'w')).toEqual({ kind: 'acknowledge' });
  });

  it('of a job that is not due yet becomes visible when it is', async () => {
    const project = 'p-due';
    const still = inStillTime(deployment);
    const due = new Date(still.clock.now() + 60_000).toISOString();
    await deployment.store({ id: id('due'), project_id: project, due_at: due, reason: 'retry_backoff' });
    const claimed = await claim(still, permitOf(id('due'), project, 9), 'worker-1');
    expect(claimed.kind).toBe('retry_later');
    expect(claimed.kind === 'retry_later' && claimed.seconds).toBeGreaterThan(50);
  });

  it('skips any number of jobs that are not due yet', async () => {
    const project = 'p-many';
    const due = new Date(deployment.clock.now() + 60_000).toISOString();
    for (let n = 0; n < 40; n += 1)
      await deployment.store({
        id: id(`wait ${n}`),
        project_id: project,
        due_at: due,
        queued_at: '2026-11-20T09:00:00.000Z',
      });
    await deployment.store({ id: id('behind'), project_id: project });
    expect(await claim(deployment, permitOf(id('wait 0'), project), 'w')).toMatchObject({
      kind: 'claimed',
      job: { id: id('behind') },
    });
  });
});

it('a write that was applied but not answered is recognised when it is repeated', async () => {
  const job = await deployment.store({ id: id('unanswered') });
  const again = await deployment.jobs.create(job);
  expect(again).toMatchObject({ applied: true });
  const other = await deployment.jobs.create({ ...job, change_id: 'another' });
  expect(other).toMatchObject({ applied: false, current: { change_id: job.change_id } });
});

it('a claim that was applied but not answered is recognised although the job was killed before it is repeated', async () => {
  const job = await deployment.store({ id: id('unanswered claim') });
  const { table } = deployment;
  let isRepeated = false;
  const unanswered = {
    send: async (command: UpdateCommand) => {
      if (isRepeated) return await table.send(command);
      isRepeated = true;
      await table.send(command);
      const running = await deployment.jobs.get(job.id, { consistent: true });
      if (running === undefined) throw new Error('the job is gone');
      await transition(deployment, running, { type: 'kill' });
      return await table.send(command);
    },
  } as unknown as typeof table;
  const jobs = new JobStore(unanswered, deployment.env.JOBS_TABLE);
  const claimed = await transition({ ...deployment, jobs }, job, { type: 'claim', workerId: 'worker-1' });
  expect(claimed).toMatchObject({ done: true, job: { attempt: 1, worker_id: 'worker-1', reason: 'cancelling' } });
  const late = await transition(deployment, job, { type: 'claim', workerId: 'worker-2' }, { rounds: 1 });
  expect(late).toMatchObject({ done: false });
});
