import { BatchGetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import type { DraftEditFields, JobEditFields } from '../../../../lib/contract/schemas/jobs/job-creation.ts';
import { createJob } from '../../../../lib/jobs/creation/create-job.ts';
import { editDraft, editJob } from '../../../../lib/jobs/creation/edit-job.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { NewerSchemaError } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

let deployment: QuietDeployment;
beforeEach(() => {
  deployment = quietDeployment();
});
const jobOf = async (id: string) => (await deployment.read({ id })) ?? expect.fail('there is no job');
const create = async (fields: Parameters<typeof createJob>[1]) =>
  await jobOf((await createJob(deployment, fields, 'token:test')).id);
const edit = async (job: Job, fields: JobEditFields) => await editJob(deployment, job, fields, 'edit');
const redraft = async (job: Job, fields: DraftEditFields) => await editDraft(deployment, job, fields, 'edit');
/** The puts of texts and labels. */
const textPuts = () =>
  deployment.calls.flatMap((call) =>
    call instanceof PutCommand && call.input.TableName === 'registry' ? [String(call.input.Item?.kind)] : [],
  );

describe('an edited job', () => {
  it('has the new texts and settings, and keeps the others', async () => {
    const job = await create({ prompt: 'old', extra_prompt: 'more', priority: 1, retries: 2 });
    const edited = await edit(job, { prompt: 'new', retries: 3 });
    expect(edited).toMatchObject({ prompt_preview: 'new', priority: 1, retries: 3 });
    expect(await deployment.texts.get(edited)).toEqual({
      prompt: 'new',
      extra_prompt: 'more',
      project: 'local_project',
    });
    expect(await jobOf(job.id)).toEqual(edited);
  });

  it('writes no texts and labels that stay the same', async () => {
    const job = await create({ prompt: 'old', extra_prompt: 'more', title: 'T', tags: ['a'] });
    deployment.calls.length = 0;
    await edit(job, { prompt: 'old', title: 'T', priority: 3 });
    expect(textPuts()).toEqual([]);
    expect(await edit(await jobOf(job.id), { tags: ['b'] })).toMatchObject({ texts: job.texts });
    expect(textPuts()).toEqual([expect.stringMatching(/^labels/)]);
  });

  it('has its labels read only if they may change', async () => {
    const job = await create({ prompt: 'old', title: 'T' });
    deployment.calls.length = 0;
    await edit(job, { priority: 3 });
    const read = deployment.calls.flatMap((call) =>
      call instanceof BatchGetCommand ? (call.input.RequestItems?.registry?.Keys ?? []) : [],
    );
    expect(read.map(({ kind }) => kind)).toEqual(['profile']);
  });

  it('has its new title or tags, each without the other', async () => {
    const labelsOf = async (job: Job) => await deployment.texts.labels.of(job);
    const job = await create({ prompt: 'old' });
    const titled = await edit(job, { title: 'T' });
    expect(await labelsOf(titled)).toEqual({ title: 'T' });
    const tagged = await edit(titled, { tags: ['a'] });
    expect(await labelsOf(tagged)).toEqual({ title: 'T', tags: ['a'] });
    expect(await labelsOf(await edit(tagged, { priority: 2 }))).toEqual({ title: 'T', tags: ['a'] });
    deployment.calls.length = 0;
    const bare = await edit(await jobOf(job.id), { title: '', tags: [] });
    expect(bare).not.toHaveProperty('labels');
    // There is no row for labels that are empty.
    expect(textPuts()).toEqual([]);
  });

  it('moves to a folder that jobs share, out of the private one of another', async () => {
    const owner = jobIdOfKey('owner');
    const job = await deployment.store({ id: jobIdOfKey('child'), cwd: owner, folder_of: owner });
    await deployment.profiles.put({ name: 'practice', agent: 'codex' });
    await deployment.texts.put(job, { prompt: 'hello', project: 'local_project', cwd: owner });
    expect(await edit(job, { cwd: owner, priority: 1 })).toMatchObject({ folder_of: owner });
    const moved = await edit(await jobOf(job.id), { cwd: 'work' });
    expect(moved).toMatchObject({ cwd: 'work' });
    expect(moved).not.toHaveProperty('folder_of');
  });
});

describe('an edit is refused', () => {
  it.each<[why: string, fields: JobEditFields]>([
    ['prompt and base_prompt: received two different texts', { prompt: 'a', base_prompt: 'b' }],
    ['profile: received "none"; there is no profile of this name', { profile: 'none' }],
    ['rule_ids: received "none"; there is no rule of this id', { rule_ids: ['none'] }],
    ['cwd: received "../.."; a relative folder must stay within', { cwd: '../..' }],
  ])('%s', async (why, fields) => {
    const job = await create({ prompt: 'old' });
    await expect(edit(job, fields)).rejects.toThrow(why);
    expect(await jobOf(job.id)).toEqual(job);
  });

  it('of the folder, project or agent of a fork', async () => {
    await deployment.profiles.put({ name: 'shell', agent: 'shell' });
    const draft = await create({ prompt: 'old', draft: true });
    await deployment.jobs.apply(draft, { ...draft, forked_from: jobIdOfKey('source') });
    const fork = await jobOf(draft.id);
    for (const fields of [{ cwd: 'work' }, { project: 'other' }])
      await expect(redraft(fork, fields)).rejects.toThrow(
        "cwd and project: can't be changed: a fork works in its copy of a folder",
      );
    await expect(redraft(fork, { profile: 'shell' })).rejects.toThrow(/the thread has the agent codex/);
    expect(await redraft(fork, { prompt: 'new', project: 'local_project' })).toMatchObject({ prompt_preview: 'new' });
  });

  it('of a job that runs, or that is no draft, whatever it asks for', async () => {
    const job = await create({ prompt: 'old' });
    await expect(redraft(job, { profile: 'none' })).rejects.toMatchObject({
      code: 'invalid_state',
      details: { state: 'QUEUED', action: 'edit' },
    });
    expect((await transition(deployment, job, { type: 'claim', workerId: 'w' })).done).toBe(true);
    // The client has read it before.
    await expect(edit(job, { prompt: 'new' })).rejects.toMatchObject({ details: { state: 'RUNNING' } });
    await expect(edit(await jobOf(job.id), { profile: 'none' })).rejects.toMatchObject({
      code: 'invalid_state',
      details: { state: 'RUNNING', action: 'edit' },
    });
  });

  it('of a job that only a later version may change', async () => {
    const job = await deployment.store({ id: jobIdOfKey('later'), reason: 'stars' as Job['reason'] });
    await expect(edit(job, { prompt: 'new' })).rejects.toThrow(NewerSchemaError);
  });

  it('of a job that is gone, or changes in every round', async () => {
    await deployment.profiles.put({ name: 'practice', agent: 'codex' });
    const gone = aJob({ id: jobIdOfKey('gone') });
    await deployment.texts.put(gone, { prompt: 'hello', project: 'local_project' });
    await expect(edit(gone, { prompt: 'new' })).rejects.toThrow(/it changed in every round of the edit/);
    const job = await create({ prompt: 'old' });
    const { apply } = deployment.jobs;
    deployment.jobs.apply = async (known, next) => {
      await apply.call(deployment.jobs, await jobOf(known.id), { ...next, prompt_preview: 'another' });
      return await apply.call(deployment.jobs, known, next);
    };
    await expect(edit(job, { prompt: 'new' })).rejects.toThrow(/it changed in every round of the edit/);
  });
});

it('an edit beside another one is applied to what that has left', async () => {
  const job = await create({ prompt: 'old', priority: 1 });
  await edit(job, { priority: 5 });
  expect(await edit(job, { prompt: 'new' })).toMatchObject({ priority: 5, prompt_preview: 'new' });
});

describe('an edited draft', () => {
  it('moves to another project, which is created', async () => {
    const job = await create({ prompt: 'old', project: 'Shop', draft: true });
    const moved = await redraft(job, { project: 'New one' });
    expect(moved).toMatchObject({ project: 'New one', project_id: expect.stringMatching(/^new-one-/) });
    expect(await deployment.texts.get(moved)).toMatchObject({ project: 'New one' });
  });

  it('stays in its project if that is named by name or id', async () => {
    const job = await create({ prompt: 'old', project: 'Shop', draft: true });
    for (const project of [job.project, job.project_id])
      expect(await redraft(await jobOf(job.id), { project })).toMatchObject({ project: 'Shop' });
  });

  it('takes its relative folder along only to where that may be', async () => {
    const job = await create({ prompt: 'old', cwd: '/workspaces/local_project/work', draft: true });
    expect(await redraft(job, { project: 'other' })).toMatchObject({ cwd: '/workspaces/local_project/work' });
  });
});
