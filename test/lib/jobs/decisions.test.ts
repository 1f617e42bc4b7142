import { expect, it } from 'vitest';
import { decide } from '../../../lib/jobs/lifecycle/lifecycle.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aJob, aReceipt, aRunningJob } from './a-job.ts';
import { due } from './due-effects.ts';

const circumstances = { now: Date.parse('2026-11-20T10:00:00.000Z'), random: () => 0 };
const ID = 'job_00000000000000000000000001';

it('only a job that was marked for it is taken out of the table; one that is gone may be taken out again', async () => {
  const deployment = quietDeployment();
  const kept = await deployment.store({ id: ID });
  await expect(deployment.jobs.remove(ID)).rejects.toThrow();
  expect(await deployment.read(kept)).toEqual(kept);
  await deployment.jobs.apply(kept, { ...kept, removing: true });
  await deployment.jobs.remove(ID);
  expect(await deployment.read(kept)).toBeUndefined();
  await deployment.jobs.remove(ID);
});

it('only what ended long ago is marked', () => {
  const endedBefore = '2026-11-13T10:00:00.000Z';
  const mark = (job: Parameters<typeof aJob>[0]) => decide(aJob(job), { type: 'remove', endedBefore }, circumstances);
  const ended = { status: 'FAILED', reason: 'exited' } as const;
  expect(mark({ ...ended, finished_at: '2026-11-13T09:59:59.999Z' })).toMatchObject({ job: { removing: true } });
  expect(mark({ ...ended, finished_at: endedBefore })).toHaveProperty('rejected');
  expect(mark({ finished_at: '2026-11-01T10:00:00.000Z' })).toHaveProperty('rejected');
});

it.for<[string, Parameters<typeof aJob>[0]]>([
  ['follow-up jobs that may be missing', { effects: due({ follow_ups: [1] }) }],
  ['deployments', { effects: due({ commands: [1] }) }],
  ['messages', { effects: due({ messages: 'end' }) }],
  ['other turns of its thread', { effects: due({ thread: 'end' }) }],
])('what has left work is not marked before that is done: %s', ([, pending]) => {
  const ended = { status: 'SUCCEEDED', reason: 'exited', finished_at: '2026-11-01T10:00:00.000Z' } as const;
  const mark = { type: 'remove', endedBefore: '2026-11-13T10:00:00.000Z' } as const;
  expect(decide(aJob({ ...ended, ...pending }), mark, circumstances)).toEqual({
    rejected: 'what the job has left to do is not done yet',
  });
  // Its removal has begun.
  expect(decide(aJob({ ...ended, ...pending, removing: true }), mark, circumstances)).toHaveProperty('job');
});

it('what an attempt left is corrected only once it has ended, and only of the newest', () => {
  const evidence = { stdout_bytes: 7 };
  const correct = (job: Parameters<typeof aJob>[0], attempt: number) =>
    decide(aJob(job), { type: 'correct', attempt, evidence }, circumstances);
  const failure = { status: 'FAILED', reason: 'exited', attempt: 2 } as const;
  expect(correct(failure, 2)).toMatchObject({ job: { stdout_bytes: 7 } });
  expect(correct(failure, 1)).toHaveProperty('rejected');
  expect(correct(aRunningJob({ attempt: 2 }), 2)).toHaveProperty('rejected');
});

it.each([
  [true, 'killed_by_request'],
  [undefined, 'cancelled_by_request'],
] as const)('what was asked of a job says why it was cancelled (kill: %s)', (kill_requested, reason) => {
  const asked = { cancel_requested_at: '2026-11-20T10:00:00.000Z', ...(kill_requested && { kill_requested }) };
  const lease_until = '2026-11-20T09:59:00.000Z';
  const receipt = aReceipt({ kind: 'failed', reason: 'exited' });
  const job = aRunningJob({ ...asked, lease_until, retries: 1 });
  const cancelled = { job: { status: 'CANCELLED', reason } };
  expect(decide(job, { type: 'end', receipt }, circumstances)).toMatchObject(cancelled);
  expect(decide(job, { type: 'lose' }, circumstances)).toMatchObject(cancelled);
  expect(decide(aRunningJob({ lease_until }), { type: 'kill' }, circumstances)).toMatchObject({
    job: { status: 'CANCELLED', reason: 'killed_by_request' },
  });
});

it.each([
  ['parked', 'account_required', 'account_required', '2026-11-20T10:01:00.000Z'],
  ['parked', 'usage_limit', 'usage_limit', '2026-11-20T10:05:00.000Z'],
  ['handed_back', 'waiting_for_worker', undefined, undefined],
  ['handed_back', 'account_required', undefined, undefined],
] as const)('an attempt that was %s for %s leaves its job parked for %s, until %s', (kind, reason, parked, due_at) => {
  const after = decide(aRunningJob(), { type: 'end', receipt: aReceipt({ kind, reason }) }, circumstances);
  expect('job' in after && [after.job.status, after.job.parked, after.job.due_at]).toEqual(['QUEUED', parked, due_at]);
  // The time a login was renewed under it, and nothing else, is counted.
  expect('job' in after && after.job.login_restarts).toBe(
    kind === 'handed_back' && reason === 'account_required' ? 1 : undefined,
  );
});

it.each(['account_required', 'usage_limit', 'waiting_for_thread'] as const)(
  'another profile queues a job that waits for its vendor account, not for its thread: %s',
  (reason) => {
    const job = aJob({ parked: reason, reason, profile: 'codex', agent: 'codex', due_at: '2026-11-27T00:00:00.000Z' });
    const after = decide(job, { type: 'edit', changes: { profile: 'claude', agent: 'claude' } }, circumstances);
    const isOfVendor = reason !== 'waiting_for_thread';
    const next = 'job' in after ? after.job : job;
    expect([next.parked, next.due_at === undefined]).toEqual([isOfVendor ? undefined : reason, isOfVendor]);
  },
);

it('a parked job is not claimed, though it is due', () => {
  const parked = aJob({ parked: 'usage_limit', reason: 'usage_limit', due_at: '2026-11-20T09:00:00.000Z' });
  expect(decide(parked, { type: 'claim', workerId: 'w' }, circumstances)).toHaveProperty('rejected');
});
