import { expect, it } from 'vitest';
import { folderName } from '../../../lib/jobs/admission/folder-slots.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { NewerSchemaError } from '../../../lib/jobs/lifecycle/newer-schema.ts';
import {
  afterAttempt,
  continueThreads,
  makeMissingFollowUps,
  settlePendingMessages,
} from '../../../lib/reconciler/after-attempt.ts';
import { printedBy } from '../../local-run/captured-lines.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { aJob, aReceipt, aRunningJob } from '../jobs/a-job.ts';

const id = (last: number) => `job_0000000000000000000000000${last}`;

/** What a parked job is parked for after another that tried, or did not, came to an end. */
async function parkedAfter(trying: Partial<Job>, kind: 'succeeded' | 'parked' | 'handed_back') {
  const deployment = quietDeployment();
  const waiting = await deployment.store({ id: id(2), parked: 'usage_limit', reason: 'usage_limit' });
  const running = await deployment.store(aRunningJob({ id: id(1), ...trying }));
  const reason = { succeeded: 'exited', parked: 'usage_limit', handed_back: 'waiting_for_worker' } as const;
  const receipt = aReceipt({ kind, reason: reason[kind] }, { job_id: running.id });
  const ended = await transition(deployment, running, { type: 'end', receipt });
  await afterAttempt(deployment, running, ended.job ?? running);
  return (await deployment.read(waiting))?.parked;
}

it('a successful probe starts the parked jobs when it ends', async () => {
  expect(await parkedAfter({ probing: 'usage_limit' }, 'succeeded')).toBeUndefined();
  expect(await parkedAfter({ probing: 'usage_limit' }, 'parked')).toBe('usage_limit');
  expect(await parkedAfter({ probing: 'usage_limit' }, 'handed_back')).toBe('usage_limit');
});

it('a job that was no probe, or the probe of another reason, starts no parked job', async () => {
  expect(await parkedAfter({}, 'succeeded')).toBe('usage_limit');
  expect(await parkedAfter({ probing: 'account_required' }, 'succeeded')).toBe('usage_limit');
});

it('an attempt whose agent began to share its folder wakes the job that waits for it, though it took no slot', async () => {
  const deployment = quietDeployment();
  const [owner, waiting] = [id(1), id(2)];
  const running = await deployment.store(aRunningJob({ id: owner, shares_folder: true, tool_children: [id(3)] }));
  const folder = folderName(deployment.folders, running) ?? '';
  const waits = { reason: 'folder_busy', parked: 'folder_busy', folder } as const;
  const job = await deployment.store(aJob({ id: waiting, cwd: owner, folder_of: owner, parent_id: id(3), ...waits }));
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: owner });
  const ended = await transition(deployment, running, { type: 'end', receipt });
  await afterAttempt(deployment, running, ended.job ?? running);
  expect(await deployment.read(job)).toMatchObject({ reason: 'waiting_for_worker' });
});

it('missing follow-ups whose attempt cannot be read are reported, unless a later version has to read it', async () => {
  const deployment = quietDeployment();
  const faults = new Map<string, Error>([
    [id(1), new NewerSchemaError('receipt.json')],
    [id(2), new Error('unreadable')],
  ]);
  for (const job of faults.keys()) await deployment.store({ id: job, status: 'SUCCEEDED', children_pending: [1] });
  const read: string[] = [];
  const readReceipt = async (job: string) => {
    read.push(job);
    throw faults.get(job) ?? new Error(`no job ${job}`);
  };
  const { lines } = await printedBy(async () => await makeMissingFollowUps({ ...deployment, readReceipt }));
  expect(read).toEqual([id(1), id(2)]);
  expect(lines.flatMap(({ item }) => item ?? [])).toEqual([`job ${id(2)}`]);
});

it.each([
  [{}, ['folder_busy', 'profile_busy']],
  [{ folder: 'folder-a' }, ['waiting_for_worker', 'profile_busy']],
  [{ place: 'profile#practice#0' }, ['folder_busy', 'waiting_for_worker']],
])('the end of an attempt that held %o frees that for the next job', async (held, reasons) => {
  const deployment = quietDeployment();
  const running = await deployment.store(aRunningJob({ id: id(1), ...held }));
  const waiting = [
    await deployment.store({ id: id(2), reason: 'folder_busy', parked: 'folder_busy', folder: 'folder-a' }),
    await deployment.store({ id: id(3), reason: 'profile_busy', parked: 'profile_busy' }),
  ];
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: running.id });
  const ended = await transition(deployment, running, { type: 'end', receipt });
  await afterAttempt(deployment, running, ended.job ?? running);
  const after = await Promise.all(waiting.map((job) => deployment.read(job)));
  expect(after.map((job) => job?.reason)).toEqual(reasons);
});

const ENDED = { status: 'SUCCEEDED', reason: 'exited', attempt: 1, finished_at: '2026-11-20T10:00:00.000Z' } as const;

it('outputs are searched for follow-ups only in the first minute of a round, so that the next round begins in time', async () => {
  const deployment = quietDeployment();
  for (let n = 1; n <= 6; n += 1) await deployment.store({ id: id(n), ...ENDED, children_pending: [1] });
  const read: string[] = [];
  const start = deployment.clock.now();
  const clock = { now: () => start + read.length * 20_000 };
  const readReceipt = async (job: string) => {
    read.push(job);
    return undefined;
  };
  await makeMissingFollowUps({ ...deployment, readReceipt, clock } as typeof deployment);
  expect(read).toHaveLength(3);
});

it('a round continues the threads of turns whose process died, behind jobs that only a later version understands', async () => {
  const deployment = quietDeployment();
  const thread = id(1);
  const later = await deployment.store({ id: id(3), ...ENDED, thread_id: thread, turn: 1, thread_pending: true });
  const odd = await deployment.jobs.apply(later, { ...later, parked: 'of_a_later_version' });
  await deployment.store({ id: thread, ...ENDED, thread_id: thread, turn: 1, thread_pending: true });
  const waits = { reason: 'waiting_for_thread', parked: 'waiting_for_thread', waits_for: thread } as const;
  await deployment.store({ id: id(4), thread_id: thread, continues: thread, ...waits, reason: 'moon_phase' });
  const second = await deployment.store({ id: id(2), thread_id: thread, turn: 2, ...waits });
  await deployment.threads.put(thread, { turn: 2, jobId: second.id });
  const { lines } = await printedBy(async () => await continueThreads(deployment));
  expect(await deployment.read(second)).toMatchObject({ reason: 'waiting_for_worker' });
  expect((await deployment.read({ id: thread }))?.thread_pending).toBeUndefined();
  expect(await deployment.read(later)).toEqual(odd.applied ? odd.job : undefined);
  expect((await deployment.threads.turns(thread)).map(({ jobId }) => jobId)).toEqual([thread, second.id]);
  expect(lines).toEqual([]);
});

it('a round settles the messages of jobs whose process died; one that fails is reported, the others continue', async () => {
  const deployment = quietDeployment();
  for (const n of [4, 5, 6]) await deployment.store({ id: id(n), ...ENDED, messages: 0, messages_pending: true });
  const { messages } = deployment.texts;
  const list = messages.list.bind(messages);
  const faults = new Map<string, Error>([
    [id(4), new NewerSchemaError('message')],
    [id(5), new Error('unreadable')],
  ]);
  messages.list = async (job) => {
    const fault = faults.get(job);
    if (fault !== undefined) throw fault;
    return await list(job);
  };
  const { lines } = await printedBy(async () => await settlePendingMessages(deployment));
  expect(lines.flatMap(({ item }) => item ?? [])).toEqual([`job ${id(5)}`]);
  const left = await Promise.all([4, 5, 6].map((n) => deployment.read({ id: id(n) })));
  expect(left.map((job) => job?.messages_pending)).toEqual([true, true, undefined]);
});
