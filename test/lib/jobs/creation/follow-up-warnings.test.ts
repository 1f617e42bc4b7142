import { beforeEach, describe, expect, it } from 'vitest';
import { ApiError } from '../../../../lib/contract/errors.ts';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { makeFollowUps } from '../../../../lib/jobs/creation/follow-ups.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { followUpId, jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import type { FollowUpBlocks } from '../../../../lib/jobs/receipts/follow-up-blocks.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aReceipt } from '../a-job.ts';

const PARENT = jobIdOfKey('parent of follow-ups');
const PLACE = { project_id: 'shop-1', project: 'Shop', cwd: 'a' };

let deployment: QuietDeployment;
beforeEach(async () => {
  deployment = quietDeployment();
  await deployment.profiles.put({ name: 'practice', agent: 'codex' });
  const at = '2026-01-01T00:00:00.000Z';
  const project = { id: 'shop-1', name: 'Shop', created_at: at };
  await deployment.projects.create('other');
  const { create } = deployment.projects;
  deployment.projects.create = async (name) =>
    ['Shop', 'shop-1'].includes(name) ? project : await create.call(deployment.projects, name);
});

type Block = Partial<FollowUpBlocks['blocks'][number]>;
const block = (fields: Record<string, unknown>): Block => ({ body: JSON.stringify({ prompt: 'x', ...fields }) });

/** Makes the follow-up jobs of a succeeded job with these blocks in its receipt. */
async function made(blocks: readonly Block[], differences: Partial<Job> = {}) {
  const succeeded: Partial<Job> = { status: 'SUCCEEDED', attempt: 1, children_pending: [1] };
  const known = await deployment.read({ id: PARENT });
  const parent = known ?? (await deployment.store({ id: PARENT, ...succeeded, ...PLACE, ...differences }));
  const placed = blocks.map((one, position) => ({ position, ...one }));
  const follow_ups = { blocks: placed, more: 0 };
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: PARENT, agent: 'codex', follow_ups });
  return await makeFollowUps({ ...deployment, readReceipt: async () => receipt }, parent, 1);
}
const child = async (position: number) => await deployment.read({ id: followUpId(PARENT, 1, position) });

it('those that were made before do not count as those of other attempts', async () => {
  const blocks = Array.from({ length: 15 }, (_, n) => block({ prompt: `n ${n}` }));
  expect((await made(blocks)).created).toHaveLength(15);
  const { job, created } = await made(blocks);
  expect([job.follow_ups?.length, job.warnings, created]).toEqual([15, undefined, []]);
});

describe('a follow-up job', () => {
  it.each([{ project: 'Shop' }, { project_id: 'shop-1' }, {}])(
    'in the project of its parent, by name or id, has its folder: %o',
    async (named) => {
      const { job } = await made([block(named), block({ ...named, cwd: 'a/b' })]);
      expect(job.warnings).toBeUndefined();
      expect(await child(0)).toMatchObject({ project_id: 'shop-1', cwd: 'a' });
      expect(await child(1)).toMatchObject({ project_id: 'shop-1', cwd: 'a/b' });
    },
  );

  it('in another project has the folder of its parent by its path, and names none below its project', async () => {
    const { job } = await made([block({ project: 'other' }), block({ project: 'other', cwd: 'a/b' })]);
    expect(await child(0)).toMatchObject({ project_id: 'other', cwd: '/workspaces/shop-1/a' });
    expect(job.warnings).toEqual([
      expect.stringMatching(/^follow-up 2: cwd: received "a\/b"; .*only in its own folder/),
    ]);
  });
});

describe('a warning says what is wrong with a block', () => {
  it.each<[why: string | RegExp, block: Block]>([
    ['the block is not closed', { fault: 'not_closed' }],
    [`the block is longer than ${LIMITS.followUps.blockBytes} bytes`, { fault: 'too_long' }],
    [/^not valid JSON \(.*JSON.*\)$/, { body: '{' }],
    ['a JSON object is needed', { body: '5' }],
    ['a JSON object is needed', { body: 'null' }],
    ['a JSON object is needed', { body: '[]' }],
  ])('%s', async (why, wrong) => {
    const { job } = await made([wrong, block({})]);
    expect(job.warnings?.[0]?.replace('follow-up 1: ', '')).toEqual(
      typeof why === 'string' ? why : expect.stringMatching(why),
    );
    expect(await child(1)).toMatchObject({ parent_id: PARENT });
  });

  it('in at most so many characters, and for at most so many of them', async () => {
    const { count, length } = LIMITS.warnings;
    const wrong = (blocks: number) => Array.from({ length: blocks }, () => ({ body: '5' }));
    expect((await made(wrong(count))).job.warnings?.at(-1)).toBe(`follow-up ${count}: a JSON object is needed`);
    const { job } = await made([block({ ['typo'.repeat(100)]: 1 }), ...wrong(count)]);
    expect(job.warnings).toHaveLength(count);
    expect(job.warnings?.at(-1)).toBe('2 more');
    expect(job.warnings?.[0]).toMatch(/^follow-up 1: body: unknown "typo.*…$/);
    expect(job.warnings?.[0]).toHaveLength(length);
  });
});

it.each([new Error('refused'), ApiError.of('unavailable')])(
  'are made later if they cannot be stored: %s',
  async (error) => {
    deployment.jobs.createWith = async () => {
      throw error;
    };
    await expect(made([block({})])).rejects.toBe(error);
    expect(await deployment.read({ id: PARENT })).toMatchObject({ children_pending: [1] });
  },
);
