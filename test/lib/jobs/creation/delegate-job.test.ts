import { PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TokenStore } from '../../../../lib/access/tokens/token-store.ts';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { delegateJob } from '../../../../lib/jobs/creation/delegate-job.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import { jobIdOf } from '../../../../lib/jobs/lifecycle/cause.ts';
import { followUpIds } from '../../../../lib/jobs/lifecycle/follow-up-record.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { endJob } from '../../../../lib/jobs/trees/act-on-tree.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { aRunningJob } from '../a-job.ts';

let deployment: EmulatedDeployment;
let tokens: TokenStore;
beforeAll(async () => {
  deployment = await emulateDeployment();
  await deployment.profiles.put({ name: 'practice', agent: 'codex', vendor: 'practice', children: ['other'] });
  await deployment.profiles.put({ name: 'other', agent: 'codex', vendor: 'practice' });
  tokens = new TokenStore({ ...deployment.registry, clock: deployment.clock });
});
afterAll(async () => await deployment.stop());

let parents = 0;
async function parentJob(differences: Partial<Job> = {}): Promise<Job> {
  parents += 1;
  const id = jobIdOfKey(`delegation test ${parents}`);
  return await deployment.store(aRunningJob({ profile: 'practice', agent: 'codex', ...differences, id }));
}
/** The ancestors of a job so deep in its tree. */
const descent = (depth: number) => Array.from({ length: depth }, (_, n) => ({ id: `ancestor ${n}`, round: 0 }));
const stored = async (id: string) => await deployment.jobs.get(id, { consistent: true });
const childrenOf = async ({ id }: Job) => (await stored(id))?.tool_children ?? [];

describe('a job that an agent starts', () => {
  it('belongs to its project and profile, has its own folder, and names its parent as creator', async () => {
    const parent = await parentJob({ ancestors: descent(2), token_id: undefined });
    const { id, replayed } = await delegateJob(deployment, parent, { prompt: 'sub' });
    expect(replayed).toBe(false);
    expect(await stored(id)).toMatchObject({
      ...{ status: 'QUEUED', reason: 'waiting_for_worker', prompt_preview: 'sub' },
      ...{
        ancestors: [...descent(2), { id: parent.id, round: 0 }],
        created_by: `job:${parent.id}`,
      },
      ...{ project_id: parent.project_id, profile: 'practice' },
    });
    for (const name of ['cwd', 'folder_of']) expect(await stored(id)).not.toHaveProperty(name);
    const known = await stored(parent.id);
    expect(known && followUpIds(known)).toEqual([id]);
  });

  it('works in the folder of its parent, or below it, if it names that', async () => {
    const parent = await parentJob();
    const own = `${deployment.env.PROMPTQ_WORKSPACES}/${parent.project_id}/${parent.id}/work`;
    const { id } = await delegateJob(deployment, parent, { prompt: 'x', cwd: 'docs' });
    expect(await stored(id)).toMatchObject({ cwd: `${own}/docs`, folder_of: parent.id });
    for (const cwd of ['..', '../other', '/etc', `${own}/../x`])
      await expect(delegateJob(deployment, parent, { prompt: 'x', cwd }), cwd).rejects.toThrow(/cwd.*received/);
    expect(await childrenOf(parent)).toEqual([id]);
  });

  it('is one for two calls with one key in one round, also at the same time', async () => {
    const parent = await parentJob();
    const calls = await Promise.all([1, 2, 3].map(() => delegateJob(deployment, parent, { prompt: 'a' }, 'k')));
    const again = await delegateJob(deployment, parent, { prompt: 'b' }, 'k');
    expect(new Set([...calls, again].map(({ id }) => id))).toEqual(
      new Set([jobIdOf({ kind: 'tool', job: parent.id, round: 0, key: 'k' })]),
    );
    expect([...calls, again].filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(again.differs).toEqual(['prompt']);
    expect(await childrenOf(parent)).toHaveLength(1);
    const inRound = (job: Job, round: number) => delegateJob(deployment, { ...job, round }, { prompt: 'a' }, 'k');
    const next = await parentJob();
    expect((await inRound(next, 1)).id).not.toBe((await inRound(next, 2)).id);
  });
});

describe('an agent starts no job', () => {
  const refused = async (parent: Job, request: Parameters<typeof delegateJob>[2], why: RegExp) => {
    const before = await childrenOf(parent);
    await expect(delegateJob(deployment, parent, request)).rejects.toThrow(why);
    expect(await childrenOf(parent)).toEqual(before);
  };

  it('with a profile that its own does not list', async () => {
    const parent = await parentJob();
    await refused(parent, { prompt: 'x', profile: 'codex' }, /profile: received "codex".*"practice", "other"/);
    const { id } = await delegateJob(deployment, parent, { prompt: 'x', profile: 'other' });
    expect(await stored(id)).toMatchObject({ profile: 'other' });
    const child = await parentJob({ profile: 'other' });
    await refused(child, { prompt: 'x', profile: 'practice' }, /of "other"/);
  });

  it('beyond what a job may bring about, by tools and blocks together', async () => {
    const parent = await parentJob({
      follow_ups: Array.from({ length: LIMITS.followUps.perJob - 2 }, (_, n) => `1.${n}`),
    });
    const made = await Promise.allSettled([1, 2, 3, 4].map((n) => delegateJob(deployment, parent, { prompt: `${n}` })));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await childrenOf(parent)).toHaveLength(2);
    await refused(parent, { prompt: 'one more' }, /at most 20 jobs/);
  });

  it('as the last of a chain', async () => {
    await refused(await parentJob({ ancestors: descent(LIMITS.followUps.depth) }), { prompt: 'x' }, /at most 5 deep/);
  });

  it('once its attempt is over, or asked to end', async () => {
    const parent = await parentJob();
    const cancelled = await transition(deployment, parent, { type: 'cancel' });
    expect(cancelled.done).toBe(true);
    await refused(parent, { prompt: 'x' }, /being cancelled/);
    await refused(await parentJob({ status: 'CANCELLED', reason: 'cancelled_by_request' }), { prompt: 'x' }, /over/);
  });

  it.for(['suspended', 'revoked'] as const)('with a token that is %s, which children inherit', async (state) => {
    const token = await tokens.create({ name: 'ci', scopes: ['write'] });
    const parent = await parentJob({ token_id: token.id });
    const { id } = await delegateJob(deployment, parent, { prompt: 'x' });
    expect(await stored(id)).toMatchObject({ token_id: token.id });
    await tokens.setState(token.id, state);
    await refused(parent, { prompt: 'y' }, /token .* is suspended or revoked/);
  });

  it('with an expired token it still does: what a job may do is decided when it is created', async () => {
    const token = await tokens.create({ name: 'short', scopes: ['write'], expiresIn: 60_000 });
    const { table, registryTable } = deployment.registry;
    await table.send(
      new UpdateCommand({
        TableName: registryTable,
        Key: { kind: 'token', id: token.id },
        UpdateExpression: 'SET expires_at = :past',
        ExpressionAttributeValues: { ':past': '2020-01-01T00:00:00.000Z' },
      }),
    );
    expect(await delegateJob(deployment, await parentJob({ token_id: token.id }), { prompt: 'x' })).toMatchObject({
      replayed: false,
    });
  });

  it('beyond what its tree may have, also if several ask at the same time', async () => {
    const root = await parentJob();
    const below = { ancestors: [{ id: root.id, round: 0 }] };
    const members = Array.from({ length: LIMITS.followUps.perTree - 3 }, (_, n) => ({ id: `member ${n}`, ...below }));
    for (const member of members)
      await deployment.table.send(
        new PutCommand(deployment.trees.adding(await deployment.trees.read(root.id), member)),
      );
    const parents = await Promise.all(Array.from({ length: 6 }, () => parentJob(below)));
    const made = await Promise.allSettled(parents.map((parent) => delegateJob(deployment, parent, { prompt: 'x' })));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    const children = await Promise.all(parents.map(childrenOf));
    expect(children.flat()).toHaveLength(3);
    expect((await deployment.trees.read(root.id)).members).toHaveLength(LIMITS.followUps.perTree);
    await refused(root, { prompt: 'one more' }, /at most 100 jobs below its root, and that of job_\w+ has 100/);
  });

  it('once its tree is cancelled, until that job is retried', async () => {
    const root = await parentJob();
    const child = await parentJob({ ancestors: [{ id: root.id, round: 0 }] });
    await endJob(deployment, root, { action: 'cancel', tree: true, onFailure: () => undefined });
    await refused(child, { prompt: 'x' }, /was cancelled with all its descendants/);
    const again = await deployment.store({ ...root, id: jobIdOfKey('again'), round: 1 });
    const { id } = await delegateJob(deployment, { ...again, ancestors: [{ id: root.id, round: 1 }] }, { prompt: 'x' });
    expect(await stored(id)).toMatchObject({ status: 'QUEUED' });
  });
});
