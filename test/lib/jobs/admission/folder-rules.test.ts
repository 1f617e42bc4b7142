import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { exclusiveFolder, folderName } from '../../../../lib/jobs/admission/folder-slots.ts';
import { leaveFolder } from '../../../../lib/jobs/admission/gates.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { NEWEST_JOB_SCHEMA } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
import { projectKey } from '../../../../lib/projects/project-item.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob, startedBy } from '../a-job.ts';

const id = (last: number) => `job_0000000000000000000000000${last}`;
const OWNER = id(1);
const ended = { status: 'SUCCEEDED', reason: 'exited', attempt: 1 } as const;
/** A job in the folder of the owner, whose agent started it. */
const startedIn = (last: number, parent = OWNER, more: Partial<Job> = {}) =>
  aJob({ id: id(last), cwd: OWNER, folder_of: OWNER, ...startedBy(parent), ...more });
const nameIn = ({ folders }: QuietDeployment) => folderName(folders, aJob({ id: OWNER })) ?? '';
const waitsIn = (folder: string) => ({ reason: 'folder_busy', parked: 'folder_busy', folder }) as const;

/** Stores a job of a schema that only later versions read. */
async function storeNewer({ table, env }: QuietDeployment, job: Job): Promise<void> {
  const Item = { ...job, schema: NEWEST_JOB_SCHEMA + 1 };
  await table.send(new PutCommand({ TableName: env.JOBS_TABLE, Item }));
}

describe('a folder is needed by one job alone', () => {
  it('if its project says so of the folders that jobs name, not of private ones', async () => {
    const deployment = quietDeployment();
    const Item = { ...projectKey('local_project'), settings: { exclusive_cwd: true } };
    await deployment.table.send(new PutCommand({ TableName: deployment.env.REGISTRY_TABLE, Item }));
    expect(await exclusiveFolder(deployment, aJob(), [])).toBeUndefined();
    expect(await exclusiveFolder(deployment, aJob({ cwd: 'work' }), [])).toMatch(/^[0-9a-f]{20}$/);
  });

  it.each<[string, (deployment: QuietDeployment) => Promise<unknown>, boolean]>([
    ['has follow-up jobs', ({ store }) => store({ id: OWNER, follow_ups: ['1.0'], ...ended }), true],
    ['is alone', ({ store }) => store({ id: OWNER, ...ended }), false],
    ['is gone', async () => undefined, false],
    ['is of a later version', (deployment) => storeNewer(deployment, aJob({ id: OWNER })), false],
  ])('if a fork copies it, whose source %s', async (_what, store, needs) => {
    const deployment = quietDeployment();
    await store(deployment);
    const fork = aJob({ id: id(2), forked_from: OWNER });
    expect(await exclusiveFolder(deployment, fork, [])).toBe(needs ? nameIn(deployment) : undefined);
  });

  it('under one name for a private folder with all below it, and no name outside', () => {
    const { folders } = quietDeployment();
    const nameOf = (cwd: string) => folderName(folders, aJob({ cwd }));
    expect(nameOf(`${OWNER}/docs`)).toBe(nameOf(OWNER));
    expect(nameOf('work/docs')).not.toBe(nameOf('work'));
    expect(nameOf('../outside')).toBeUndefined();
  });
});

describe('when a job has left a folder', () => {
  it('the next of those that wait for it is woken', async () => {
    const deployment = quietDeployment();
    const owner = await deployment.store({ id: OWNER, follow_ups: ['1.0'], ...ended });
    const waiting = await deployment.store(startedIn(2, OWNER, waitsIn(nameIn(deployment))));
    await leaveFolder(deployment, owner);
    expect(await deployment.read(waiting)).toMatchObject({ reason: 'waiting_for_worker' });
  });
});
