import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TokenStore } from '../../../../lib/access/tokens/token-store.ts';
import { LIMITS } from '../../../../lib/contract/limits.ts';
import { makeFollowUps } from '../../../../lib/jobs/creation/follow-ups.ts';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import { jobIdOf } from '../../../../lib/jobs/lifecycle/cause.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { viewJob } from '../../../../lib/jobs/views/job-view.ts';
import { runDueEffects } from '../../../../lib/reconciler/after-attempt.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { aRunningJob } from '../a-job.ts';
import { leaveOutput, leaveSuccess, outputAskingFor, storeSucceeded } from '../succeeded-parent.ts';

let deployment: EmulatedDeployment;
let tokens: TokenStore;
beforeAll(async () => {
  deployment = await emulateDeployment();
  tokens = new TokenStore({ ...deployment.registry, clock: deployment.clock });
  await deployment.profiles.put({ name: 'practice', agent: 'codex', vendor: 'practice' });
  await deployment.profiles.put({ name: 'shell', agent: 'shell', follow_ups: 'on', children: ['practice', 'none'] });
});
afterAll(async () => await deployment.stop());

const id = (name: string) => jobIdOfKey(`follow-ups test ${name}`);
const stored = async (jobId: string) => await deployment.jobs.get(jobId, { consistent: true });
/** The ancestors of a job so deep in its tree. */
const descent = (depth: number) => Array.from({ length: depth }, (_, n) => ({ id: `ancestor ${n}`, round: 0 }));
const shown = (job: Job) => {
  const { follow_up_ids, warnings } = viewJob(job, { prompt: '', project: '' }, 'seconds', { deployments: [] });
  return { follow_up_ids, warnings };
};

async function childrenOf(parent: Job): Promise<(Job | undefined)[]> {
  return await Promise.all(shown(parent).follow_up_ids.map(stored));
}

describe('the follow-up jobs of a job whose worker died right after its report', () => {
  it('are created by reconcile-jobs, once, wherever the worker died', async () => {
    const parent = await storeSucceeded(
      deployment,
      { id: id('dead') },
      outputAskingFor([{ prompt: 'a' }, { prompt: 'b' }]),
    );
    expect(parent).toMatchObject({ status: 'SUCCEEDED', effects: [{ name: 'follow_ups', attempt: 1 }] });
    await runDueEffects(deployment, { slow: true });
    const settled = await stored(parent.id);
    expect(settled).not.toHaveProperty('effects');
    expect(settled && shown(settled)).toEqual({
      follow_up_ids: [
        jobIdOf({ kind: 'follow_up', job: parent.id, attempt: 1, position: 0 }),
        jobIdOf({ kind: 'follow_up', job: parent.id, attempt: 1, position: 1 }),
      ],
      warnings: [],
    });
    const children = settled && (await childrenOf(settled));
    expect(children?.map((child) => child?.prompt_preview)).toEqual(['a', 'b']);
    await runDueEffects(deployment, { slow: true });
    expect(await stored(parent.id)).toEqual(settled);
  });
});

it('of interrupted attempts are created with those of the success that continued them, each once', async () => {
  const jobId = id('chain');
  const interrupted = { kind: 'handed_back', reason: 'waiting_for_worker', exit_code: null, signal: null } as const;
  const ask = (...prompts: string[]) => outputAskingFor(prompts.map((prompt) => ({ prompt })));
  // Another session, which began with the prompt and was refused.
  await leaveSuccess(deployment, { id: jobId, attempt: 1 }, ask('never'), { outcome: interrupted });
  await leaveSuccess(deployment, { id: jobId, attempt: 2 }, ask('a'), { outcome: interrupted });
  // Lost: its successor repeats what the session had not saved, and its last block is cut.
  await leaveOutput(deployment, { id: jobId, attempt: 3 }, `${ask('b', 'c')}${ask('cut').slice(0, 20)}`);
  await leaveSuccess(deployment, { id: jobId, attempt: 4 }, ask('c'), { outcome: interrupted, chain: [2, 3] });
  const running = await deployment.store(aRunningJob({ id: jobId, profile: 'shell', agent: 'shell', attempt: 5 }));
  await leaveSuccess(deployment, running, ask('d'), { chain: [2, 3, 4] });
  const receipt = await deployment.output.readReceipt(jobId, 5);
  if (receipt === undefined) throw new Error('there is no receipt');
  await transition(deployment, running, { type: 'end', receipt });
  await runDueEffects(deployment, { slow: true });
  const parent = await stored(jobId);
  expect(parent?.follow_ups).toEqual(['2.0', '3.0', '4.0', '5.0']);
  expect(parent).not.toHaveProperty('effects');
  const children = parent && (await childrenOf(parent));
  expect(children?.map((child) => child?.prompt_preview)).toEqual(['a', 'b', 'c', 'd']);
});

it.for(['suspended', 'revoked'] as const)('none is created once the token of the job is %s', async (state) => {
  const token = await tokens.create({ name: 'ci', scopes: ['write'] });
  const first = await made(`before it is ${state}`, [{ prompt: 'a' }], { token_id: token.id });
  await tokens.setState(token.id, state);
  expect((await makeFollowUps(deployment, first, 1)).job.follow_ups).toEqual(['1.0']);
  const parent = await made(`once it is ${state}`, [{ prompt: 'a' }], { token_id: token.id });
  expect(parent).not.toHaveProperty('follow_ups');
  expect(parent).not.toHaveProperty('effects');
  expect(parent.warnings).toEqual(['follow-up 1: the token with which this job was created is suspended or revoked']);
});

async function made(name: string, payloads: readonly unknown[], differences: Partial<Job> = {}) {
  const parent = await storeSucceeded(deployment, { id: id(name), ...differences }, outputAskingFor(payloads));
  return (await makeFollowUps(deployment, parent, 1)).job;
}

describe('a follow-up job', () => {
  it('is in the project and folder of its parent, a fresh one too', async () => {
    const place = { project_id: 'p1', project: 'p1', cwd: 'a/b' };
    const token = await tokens.create({ name: 'ci', scopes: ['write'] });
    const inFolder = await made('folder', [{ prompt: 'x' }], { ...place, token_id: token.id });
    expect((await childrenOf(inFolder))[0]).toMatchObject({
      token_id: token.id,
      project_id: 'p1',
      cwd: 'a/b',
      ancestors: [{ id: inFolder.id, round: 0 }],
    });
    const fresh = await made('fresh', [{ prompt: 'x' }]);
    expect((await childrenOf(fresh))[0]).toMatchObject({
      project_id: 'local_project',
      cwd: `${fresh.id}/work`,
      folder_of: fresh.id,
    });
    expect((await childrenOf(inFolder))[0]).not.toHaveProperty('folder_of');
  });

  it('passes its inherited private folder on, and names no other', async () => {
    const [owner, stranger] = [id('owner'), id('stranger')];
    const inOwners = { cwd: owner, folder_of: owner };
    const parent = await made(
      'third',
      [
        { prompt: 'x' },
        { prompt: 'x', cwd: stranger },
        { prompt: 'x', cwd: 'work' },
        { prompt: 'x', cwd: `${owner}/a` },
      ],
      inOwners,
    );
    const [inherits, below] = await childrenOf(parent);
    expect(inherits).toMatchObject({ cwd: owner, folder_of: owner });
    expect(below).toMatchObject({ cwd: `${owner}/a`, folder_of: owner });
    expect(shown(parent).warnings).toEqual([
      expect.stringMatching(/^follow-up 2: cwd: received .*only in its own folder/),
      expect.stringMatching(/^follow-up 3: cwd: received "work"; .*only in its own folder/),
    ]);
  });

  it("runs with its parent's profile, or one that it allows", async () => {
    const parent = await made('profiles', [
      { prompt: 'x' },
      { prompt: 'x', profile: 'practice' },
      { prompt: 'x', profile: 'codex' },
    ]);
    expect((await childrenOf(parent)).map((child) => child?.profile)).toEqual(['shell', 'practice']);
    expect(shown(parent).warnings).toEqual([
      'follow-up 3: profile: received "codex"; a job of profile shell starts jobs of "shell", "practice", "none"',
    ]);
  });

  it('that is too large for the receipt is read from the output', async () => {
    const prompt = 'é'.repeat(200_000);
    const parent = await made('large', [{ prompt: 'small' }, { prompt }]);
    const child = (await childrenOf(parent))[1];
    expect(child && (await deployment.texts.get(child)).prompt).toBe(prompt);
  });

  it('may be as deep as the limit, but not deeper', async () => {
    const last = await made('depth 4', [{ prompt: 'x' }], { ancestors: descent(LIMITS.followUps.depth - 1) });
    expect((await childrenOf(last))[0]).toHaveProperty('ancestors.length', LIMITS.followUps.depth);
    const tooDeep = await made('depth 5', [{ prompt: 'x' }], { ancestors: descent(LIMITS.followUps.depth) });
    expect(shown(tooDeep)).toEqual({ follow_up_ids: [], warnings: [expect.stringContaining('at most 5 deep')] });
  });
});

describe('a warning reports what is left out', () => {
  it('when a job asks for more than the limit', async () => {
    const parent = await made(
      'many',
      Array.from({ length: 21 }, (_, n) => ({ prompt: `n ${n}` })),
    );
    expect(await childrenOf(parent)).toHaveLength(20);
    expect(shown(parent).warnings).toEqual(['1 follow-up(s) left out: a job brings about at most 20']);
  });

  it.for([
    ['is no JSON', '{"prompt": ', 'not valid JSON'],
    ['is no object', '[1]', 'a JSON object is needed'],
    ['has an unknown field', { prompt: 'x', timout: 1 }, 'unknown "timout"'],
    ['has an idempotency key', { prompt: 'x', idempotency_key: 'k' }, 'unknown "idempotency_key"'],
    ['has no prompt', {}, 'prompt'],
    ['has a wrong type', { prompt: 'x', retries: 'two' }, 'body.retries: received "two"'],
    ['names an unknown profile', { prompt: 'x', profile: 'none' }, 'there is no profile of this name'],
    ['leaves its folder', { prompt: 'x', cwd: '../..' }, 'cwd'],
  ] as const)('when a block %s, and the others are made', async ([name, payload, why]) => {
    const parent = await made(`malformed: ${name}`, [payload, { prompt: 'good' }]);
    expect(shown(parent)).toEqual({
      follow_up_ids: [jobIdOf({ kind: 'follow_up', job: parent.id, attempt: 1, position: 1 })],
      warnings: [expect.stringContaining(why)],
    });
    expect(shown(parent).warnings[0]).toMatch(/^follow-up 1: /);
  });
});
