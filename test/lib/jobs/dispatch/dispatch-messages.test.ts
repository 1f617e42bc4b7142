import { expect, it } from 'vitest';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import type { JobEvent } from '../../../../lib/jobs/lifecycle/job-event.ts';
import { reissueAll, resendStaleMessages } from '../../../../lib/reconciler/reconcile-jobs.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob, aReceipt, aRunningJob } from '../a-job.ts';

const ended = (kind: 'succeeded' | 'failed') => aReceipt({ kind, reason: 'exited' });
const edit = (changes: Partial<Job>): JobEvent => ({
  type: 'edit',
  changes: { profile: 'practice', texts: '0123456789abcdef', prompt_preview: 'hello', ...changes },
});
const OVER = { lease_until: '2026-11-20T09:59:00.000Z' };
const PARKED = { parked: 'usage_limit', reason: 'usage_limit', due_at: '2026-11-20T11:00:00.000Z' } as const;

it.each<[string, Job, JobEvent]>([
  ['a claim', aJob(), { type: 'claim', workerId: 'worker-1' }],
  ['an edit of another field than the priority', aJob(), edit({ model: 'another' })],
  ['an edit of the priority within a band', aJob({ priority: 1 }), edit({ priority: 7 })],
  ['an edit of a parked job', aJob(PARKED), edit({ priority: 7 })],
  ['a cancel of a waiting job', aJob(), { type: 'cancel' }],
  ['a cancel of a running job', aRunningJob(), { type: 'cancel' }],
  ['a success', aRunningJob(), { type: 'end', receipt: ended('succeeded') }],
  ['a failure without retries', aRunningJob(), { type: 'end', receipt: ended('failed') }],
  ['a wait for a folder', aJob(), { type: 'wait', gate: { kind: 'folder', key: 'f' } }],
])('%s sends no dispatch message', async (_what, job, event) => {
  const deployment = quietDeployment();
  expect(await transition(deployment, await deployment.store(job), event)).toMatchObject({ done: true });
  expect(deployment.sent).toEqual([]);
});

it.each<[string, Job, JobEvent, { band?: string; seconds?: number }]>([
  ['a submit', aJob({ status: 'DRAFT', reason: 'draft' }), { type: 'submit' }, {}],
  ['a retry', aJob({ status: 'FAILED', reason: 'exited', attempt: 1 }), { type: 'retry' }, {}],
  ['the end of what it is parked for', aJob(PARKED), { type: 'unpark', reason: 'usage_limit' }, {}],
  ['an edit into another band', aJob(), edit({ priority: 7 }), { band: 'high' }],
  ['a loss', aRunningJob(OVER), { type: 'lose' }, {}],
  // Half of the first backoff.
  ['a failure', aRunningJob({ retries: 1 }), { type: 'end', receipt: ended('failed') }, { seconds: 3 }],
  [
    'a hand-back',
    aRunningJob(),
    { type: 'end', receipt: aReceipt({ kind: 'handed_back', reason: 'waiting_for_worker' }) },
    {},
  ],
])('%s sends one dispatch message, before its write', async (_what, job, event, { band = 'normal', seconds = 0 }) => {
  const deployment = quietDeployment();
  const stored = await deployment.store(job);
  const before = deployment.calls.length;
  expect(await transition(deployment, stored, event)).toMatchObject({ done: true });
  expect(deployment.sent).toEqual([{ job: job.id, band, seconds }]);
  const calls = deployment.calls.slice(before).map((call) => (call as object).constructor.name);
  expect(calls).toEqual(['SendMessageCommand', 'UpdateCommand']);
});

const id = (last: number) => `job_0000000000000000000000000${last}`;
const long = { queued_at: '2026-11-20T09:58:00.000Z' };

it('the reconciler sends one message for a band and project whose job has waited for over a minute', async () => {
  const deployment = quietDeployment();
  await deployment.store({ id: id(1), ...long });
  await deployment.store({ id: id(2), ...long });
  await deployment.store({ id: id(3), ...long, project_id: 'another' });
  await deployment.store({ id: id(4), ...long, priority: 1 });
  await deployment.store({ id: id(5), project_id: 'young', queued_at: '2026-11-20T09:59:30.000Z' });
  for (const [last, parked] of [
    [6, 'account_required'],
    [7, 'usage_limit'],
    [8, 'folder_busy'],
  ] as const)
    await deployment.store({ id: id(last), ...long, project_id: parked, parked, reason: parked });
  await resendStaleMessages(deployment);
  expect(deployment.sent.map(({ job }) => job).toSorted()).toEqual([id(1), id(3), id(4)]);
});

it('reissuing sends a message for each queued or running job, for the time when it may be claimed', async () => {
  const deployment = quietDeployment();
  await deployment.store({ id: id(1) });
  await deployment.store({ id: id(2), reason: 'retry_backoff', due_at: '2026-11-20T10:00:07.000Z' });
  await deployment.store({ id: id(3), parked: 'usage_limit', reason: 'usage_limit' });
  await deployment.store(aRunningJob({ id: id(4) }));
  await deployment.store({ id: id(5), status: 'SUCCEEDED', reason: 'exited' });
  await reissueAll(deployment);
  expect(deployment.sent.map(({ job, seconds }) => [job, seconds])).toEqual([
    [id(1), 0],
    [id(2), 7],
    [id(4), 30],
  ]);
});
