import { expect, it } from 'vitest';
import { folderName } from '../../../lib/jobs/admission/folder-slots.ts';
import { transition } from '../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../lib/jobs/lifecycle/job.ts';
import { NewerSchemaError } from '../../../lib/jobs/lifecycle/newer-schema.ts';
import { afterAttempt, makeMissingFollowUps } from '../../../lib/reconciler/after-attempt.ts';
import { printedBy } from '../../captured-lines.ts';
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
