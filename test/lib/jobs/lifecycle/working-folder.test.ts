import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJob } from '../../../../lib/jobs/creation/create-job.ts';
import { editJob } from '../../../../lib/jobs/creation/edit-job.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { randomJobId } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { inheritedFolderOf, ownerOfFolder, workingFolder } from '../../../../lib/jobs/lifecycle/working-folder.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { openWorker } from '../../../stand-ins/emulated-worker.ts';

const folders = { workspaces: '/w', roots: ['/tmp', '/'] };
const [own, another] = [randomJobId(), randomJobId()];
const place = (cwd: string | undefined, user: Partial<Job> = {}) =>
  workingFolder(folders, { id: own, project_id: 'app', cwd, ...user });

describe('a cwd', () => {
  it.for([
    ['another job has to itself', another],
    ['lies in one that another job has to itself', `./work/../${another}/deep`],
    ['another job has to itself, as an absolute path', `/w/app//${another}/`],
    ['a job of another project has to itself', `/w/other/${another}`],
    ['is spelled in another case', another.toUpperCase()],
    ['was put aside for a job', `${another}.earlier`],
    ['is being removed', `${another}.going/x`],
    ['is the folder of its project', '.'],
    ['is the folder of its project, the long way', 'a/..'],
    ['is the folder of its project, as an absolute path', '/w/app/'],
    ['is the folder of another project', '/w/other'],
    ['is the root of all workspaces', '/w'],
    ["is the service's own", '/w/.repositories/app.git'],
  ] as const)('that %s is refused by a sentence that quotes it', ([, cwd]) => {
    expect(place(cwd)).toEqual({ rejected: expect.stringContaining(`received ${JSON.stringify(cwd)}; `) });
  });

  it.for([
    ['leaves its project for one whose name begins alike', '../app-2'],
    ['leaves its project for a folder below such a one', 'work/../../app2/work'],
    ['leaves its project', '../other/work'],
    ['leaves the workspaces', '../../etc'],
    ['lies beside the workspaces under a name that begins alike', '/w-other/work'],
    ['lies beside another root under a name that begins alike', '/srv2/work'],
    ['leaves a root', '/srv/../etc'],
  ] as const)('that %s is refused as well', ([, cwd]) => {
    const roots = { workspaces: '/w', roots: ['/srv'] };
    const placed = workingFolder(roots, { id: own, project_id: 'app', cwd });
    expect(placed).toEqual({ rejected: expect.stringMatching(/must (?:stay within|lie under)/) });
  });

  it.for([
    ['..work', '/w/app/..work'],
    ['work', '/w/app/work'],
    [`work/${another}`, `/w/app/work/${another}`],
    ['job_notes', '/w/app/job_notes'],
    ['.hidden', '/w/app/.hidden'],
    [`/tmp/app/${another}`, `/tmp/app/${another}`],
    ['/tmp', '/tmp'],
  ] as const)('%s is none of those', ([cwd, path]) => {
    expect(place(cwd)).toEqual({ path });
  });

  it('may lead to the folder that a follow-up has inherited', () => {
    expect(place(another, { folder_of: another })).toEqual({ path: `/w/app/${another}` });
    expect(place(`/w/other/${another}/deep`, { folder_of: another })).toEqual({ path: `/w/other/${another}/deep` });
    expect(place(another, { folder_of: randomJobId() })).toHaveProperty('rejected');
  });
});

describe('a folder', () => {
  const parent = { id: own, project_id: 'app', folder_of: another };

  it.for([
    [another, another],
    [`${another}/docs`, another],
    [undefined, another],
    ['work', undefined],
    [own, undefined],
    ['../other', undefined],
  ] as const)('that is private is inherited by follow-ups that work in it: %s', ([cwd, owner]) => {
    expect(inheritedFolderOf(folders, { ...parent, cwd: another }, cwd)).toBe(owner);
  });

  it('that is not private, or not allowed, has no owner', () => {
    const ownerOf = (cwd: string) => ownerOfFolder(folders, { ...parent, cwd });
    expect(['work', '../other', '/tmp/app', '.', another].map(ownerOf)).toEqual([
      ...[undefined, undefined, undefined, undefined, another],
    ]);
    expect(inheritedFolderOf(folders, { ...parent, cwd: 'work' }, another)).toBeUndefined();
  });

  it.for([
    ['/tmp/app/', '/tmp/app'],
    ['/tmp/app', '/tmp/app'],
    ['/', '/'],
  ] as const)('has one path, however it is written: %s', ([cwd, path]) => {
    expect(place(cwd)).toEqual({ path });
  });
});

describe('a job', () => {
  let deployment: EmulatedDeployment;
  let creation: Awaited<ReturnType<typeof openWorker>>['creation'];
  beforeAll(async () => {
    deployment = await emulateDeployment();
    ({ creation } = await openWorker(deployment));
  });
  afterAll(async () => await deployment.stop());

  it("is neither created in, nor moved to, another's private folder; as a follow-up it can be edited where it is", async () => {
    const inside = `${deployment.env.PROMPTQ_WORKSPACES}/local_project/${another}`;
    const refusal = { name: 'InvalidFieldError', message: expect.stringMatching(/^cwd: received .*one job alone/) };
    for (const cwd of [another, inside])
      await expect(createJob(creation, { prompt: 'true', cwd }, 'token:test')).rejects.toMatchObject(refusal);
    const { id } = await createJob(creation, { prompt: 'true', cwd: 'work' }, 'token:test');
    const edit = async (of: string, fields: { cwd: string; prompt?: string }) => {
      const job = await deployment.jobs.get(of, { consistent: true });
      if (job === undefined) throw new Error('there is no such job');
      return await editJob({ ...deployment, ...creation }, job, fields, 'PATCH');
    };
    await expect(edit(id, { cwd: another })).rejects.toMatchObject(refusal);

    const cause = { kind: 'follow_up', job: another, attempt: 1, position: 0 } as const;
    const origin = { cause, of: { id: another, priority: 0 }, folderOf: another };
    const follower = await createJob(creation, { prompt: 'true', cwd: another }, 'token:test', origin);
    expect(await edit(follower.id, { cwd: another, prompt: 'false' })).toMatchObject({
      cwd: another,
      folder_of: another,
    });
    expect(await edit(follower.id, { cwd: 'work' })).not.toHaveProperty('folder_of');
  });
});
