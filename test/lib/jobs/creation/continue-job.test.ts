import { beforeEach, describe, expect, it, test } from 'vitest';
import type { ApiError } from '../../../../lib/contract/errors.ts';
import type { NewJob } from '../../../../lib/contract/schemas/jobs/one-name.ts';
import { createJob } from '../../../../lib/jobs/creation/create-job.ts';
import { editJob } from '../../../../lib/jobs/creation/edit-job.ts';
import { jobIdOf } from '../../../../lib/jobs/lifecycle/cause.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import type { Receipt } from '../../../../lib/jobs/receipts/receipt.ts';
import { timestamp } from '../../../../lib/platform/aws/table-clock.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aReceipt, followUpOf } from '../a-job.ts';

const id = (name: string) => jobIdOfKey(`continue test ${name}`);

/** A deployment with a thread of one succeeded job, which ended so many days ago. */
async function withEnded(days: number, more: Partial<Job> = {}) {
  const deployment = quietDeployment();
  const finished_at = timestamp(deployment.clock.now() - days * 86_400_000);
  const job = { id: id('first'), status: 'SUCCEEDED', attempt: 1, agent: 'codex', profile: 'codex' } as const;
  await deployment.store({ ...job, finished_at, ...more });
  const create =
    (action: 'continue' | 'fork') =>
    async (fields: Record<string, unknown> = {}, context: Partial<typeof deployment> = {}) => {
      const body = { [action]: id('first'), prompt: 'next', ...fields };
      return await createJob({ ...deployment, ...context }, body, 'token:test').then(
        (created) => ({ id: created.id, error: undefined }),
        (error: ApiError) => ({ id: undefined, error }),
      );
    };
  return { deployment, next: create('continue'), fork: create('fork') };
}

it('refuses to continue in a folder that was deleted because of its age, and names the way', async () => {
  const { next } = await withEnded(8);
  const { error } = await next();
  expect(error).toMatchObject({
    code: 'invalid_state',
    details: { state: 'SUCCEEDED', action: 'continue', use: 'fresh_folder' },
    message: expect.stringMatching(/no job has used it for 7 days; continue with "fresh_folder": true/),
  });
  expect((await next({ fresh_folder: true })).id).toBeDefined();
});

it('refuses to fork a job whose folder was deleted because of its age, and names the way', async () => {
  const { next, fork } = await withEnded(8);
  const { error } = await fork();
  expect(error).toMatchObject({
    code: 'invalid_state',
    details: { state: 'SUCCEEDED', action: 'fork', use: 'continue' },
    message: expect.stringMatching(/no job has used it for 7 days; continue the job with "fresh_folder": true/),
  });
  expect((await next({ fresh_folder: true })).id).toBeDefined();
});

it('continues in a folder that is still there', async () => {
  expect((await (await withEnded(6)).next()).id).toBeDefined();
  // A folder that a `cwd` names is not deleted.
  expect((await (await withEnded(8, { cwd: 'work' })).next()).id).toBeDefined();
  const kept = await withEnded(8);
  expect((await kept.next({}, { workspaceDays: 0 })).id).toBeDefined();
  // A follow-up job works in it and waits.
  const used = await withEnded(8, { follow_ups: ['1.0'] });
  await used.deployment.store({
    id: jobIdOf({ kind: 'follow_up', job: id('first'), attempt: 1, position: 0 }),
    folder_of: id('first'),
    ...followUpOf(id('first')),
  });
  expect((await used.next()).id).toBeDefined();
});

const began = (granted: Receipt['granted']) => ({
  readReceipt: async () => aReceipt({ kind: 'succeeded', reason: 'exited' }, { ...(granted && { granted }) }),
});

test.for([
  { granted: { sandbox: 'read-only', secrets: ['A', 'B'] }, says: 'now has the sandbox workspace-write, which' },
  { granted: { sandbox: 'workspace-write', secrets: ['B'] }, says: 'now has the secrets A, which' },
  { granted: { sandbox: 'read-only', secrets: [] }, says: 'the sandbox workspace-write and the secrets A, B, which' },
] as const)(
  'a profile that has got more than its thread began with has to be named: $says',
  async ({ granted, says }) => {
    const { deployment, next, fork } = await withEnded(1, { profile: 'mine' });
    const env = { ONE: { secret: 'A' }, TWO: { secret: 'B' }, PLAIN: 'value' };
    await deployment.profiles.put({ name: 'mine', agent: 'codex', sandbox: 'workspace-write', env });
    const context = began({ ...granted, secrets: [...granted.secrets] });
    const { error } = await next({}, context);
    expect(error).toMatchObject({
      code: 'invalid_state',
      details: { state: 'SUCCEEDED', action: 'continue', use: 'profile' },
      message: expect.stringContaining(says),
    });
    expect((await fork({}, context)).error).toMatchObject({ details: { action: 'fork', use: 'profile' } });
    expect((await next({ profile: 'mine' }, context)).id).toBeDefined();
  },
);

describe('a turn', () => {
  let deployment: QuietDeployment;
  const create = async (fields: NewJob) => (await createJob(deployment, fields, 'token:test')).id;
  const jobOf = async (jobId: string) => (await deployment.read({ id: jobId })) ?? expect.fail('there is no job');
  beforeEach(async () => {
    deployment = quietDeployment();
    const codex = { agent: 'codex', timeout: 30, retries: 1 } as const;
    for (const name of ['mine', 'other']) await deployment.profiles.put({ name, ...codex });
    await deployment.profiles.put({ name: 'bash', agent: 'shell' });
  });

  it('gets no other agent by an edit, nor does the first one', async () => {
    const first = await create({ prompt: 'first', profile: 'mine' });
    const turn = await create({ prompt: 'next', continue: first });
    const edit = async (jobId: string, profile: string) =>
      await editJob(deployment, await jobOf(jobId), { profile }, 'edit');
    for (const one of [first, turn]) {
      await expect(edit(one, 'bash')).rejects.toThrow(/agent is shell; the thread has the agent codex/);
      expect(await edit(one, 'other')).toMatchObject({ profile: 'other', agent: 'codex' });
    }
    expect(await edit(await create({ prompt: 'alone', profile: 'mine' }), 'bash')).toMatchObject({ agent: 'shell' });
  });
});
