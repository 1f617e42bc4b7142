import { describe, expect, it } from 'vitest';
import { acquireFolder, exclusiveFolder, folderName } from '../../../../lib/jobs/admission/folder-slots.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob, followUpOf, startedBy as startedByTool } from '../a-job.ts';
import { due } from '../due-effects.ts';

const id = (last: number) => `job_0000000000000000000000000${last}`;
const OWNER = id(1);
const ended = { status: 'SUCCEEDED', reason: 'exited', attempt: 1 } as const;
/** A job in the folder of the owner. */
const inFolder = (last: number, more: Partial<Job> = {}) =>
  aJob({ id: id(last), cwd: OWNER, folder_of: OWNER, ...followUpOf(OWNER), ...more });
/** One that an agent started. */
const startedIn = (last: number, parent = OWNER, more: Partial<Job> = {}) =>
  inFolder(last, { ...startedByTool(parent), ...more });

const nameIn = ({ folders }: QuietDeployment) => folderName(folders, aJob({ id: OWNER })) ?? '';
const mayRun = async (deployment: QuietDeployment, job: Job) =>
  await acquireFolder(deployment, job, nameIn(deployment));
/** A job that runs in the folder, whose claim took the slot. */
async function running(deployment: QuietDeployment, job: Job): Promise<Job> {
  const stored = (await deployment.read(job)) ?? (await deployment.store(job));
  expect(await mayRun(deployment, stored)).toBe(true);
  const folder = nameIn(deployment);
  const claimed = await transition(deployment, stored, { type: 'claim', workerId: 'w', folder, place: undefined });
  if (!claimed.done) throw new Error(claimed.rejected);
  return claimed.job;
}

describe('a job needs the slot of a private folder', () => {
  it.each<[string, Partial<Job>, boolean]>([
    ['that it has to itself', {}, false],
    ['and its agent has started jobs elsewhere', { tool_children: [id(2)] }, false],
    ['and its agent has started a job there', { shares_folder: true, tool_children: [id(2)] }, true],
    ['and it has follow-up jobs', { follow_ups: ['1.0'] }, true],
    ['and its follow-up jobs are still to be made', { effects: due({ follow_ups: [1] }) }, true],
    ['of its parent', { folder_of: id(2), ...followUpOf(id(2)), cwd: id(2) }, true],
    ['below that of its parent', { folder_of: id(2), ...followUpOf(id(2)), cwd: `${id(2)}/docs` }, true],
    ['only in name: it works elsewhere', { follow_ups: ['1.0'], cwd: 'work' }, false],
  ])('%s: %o', async (_what, more, needs) => {
    const deployment = quietDeployment();
    const job = await deployment.store(aJob({ id: OWNER, ...more }));
    const folder = await exclusiveFolder(deployment, job, []);
    const owner = aJob({ id: job.folder_of ?? OWNER });
    expect(folder).toBe(needs ? folderName(deployment.folders, owner) : undefined);
  });
});

describe('a job that an agent started', () => {
  it('runs beside all above it, and keeps others out until all these have ended', async () => {
    const deployment = quietDeployment();
    const parent = await running(deployment, aJob({ id: OWNER, shares_folder: true }));
    const child = await running(deployment, startedIn(2));
    const grandchild = await running(deployment, startedIn(3, child.id));
    const [sibling, followUp] = [await deployment.store(startedIn(4)), await deployment.store(inFolder(5))];
    for (const job of [sibling, followUp]) expect(await mayRun(deployment, job)).toBe(false);
    await deployment.jobs.apply(grandchild, { ...grandchild, ...ended });
    for (const job of [sibling, followUp]) expect(await mayRun(deployment, job)).toBe(false);
    await deployment.jobs.apply(child, { ...child, ...ended });
    expect(await mayRun(deployment, followUp)).toBe(false);
    await deployment.jobs.apply(parent, { ...parent, ...ended });
    expect(await mayRun(deployment, followUp)).toBe(true);
    expect(await mayRun(deployment, sibling)).toBe(false);
  });
});
