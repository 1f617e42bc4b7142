import { BatchGetCommand, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it, vi } from 'vitest';
import { type Claimed, claim } from '../../../../lib/jobs/admission/claim.ts';
import { claimedProfile, claimedSettings, readForClaim } from '../../../../lib/jobs/admission/claim-reads.ts';
import { JobTextStore, textsKey } from '../../../../lib/jobs/store/job-texts.ts';
import { ENV } from '../../../simulation/model/environment.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

const ID = 'job_00000000000000000000000001';
/** A preview does not have all of it. */
const TEXTS = { prompt: `true # ${'long '.repeat(50)}`, project: 'local_project' };
/** An attempt that may be read late sees nothing that was written within this time, unless it reads consistently. */
const LAG = { lag: 60_000 };

/** Claims a job whose texts are stored as given. */
async function claimed(item: Record<string, unknown>): Promise<Claimed & { readonly calls: readonly unknown[] }> {
  const deployment = quietDeployment(LAG);
  const job = await deployment.store({ id: ID, texts: JobTextStore.address(TEXTS) });
  const Item = { ...textsKey(job), ...item };
  await deployment.table.send(new PutCommand({ TableName: ENV.REGISTRY_TABLE, Item }));
  await deployment.profiles.put({ name: job.profile, agent: 'shell', model: 'newest' });
  deployment.calls.length = 0;
  return await claimIn(deployment);
}

async function claimIn(
  deployment: ReturnType<typeof quietDeployment>,
): Promise<Claimed & { readonly calls: readonly unknown[] }> {
  const message = { v: 1, band: 'normal', project: 'local_project', job: ID } as const;
  const result = await claim(
    { ...deployment, pause: async () => undefined },
    { message, handle: '', receives: 2 },
    'worker',
  );
  if (result.kind !== 'claimed') throw new Error(`the message led to: ${result.kind}`);
  return { ...result, calls: deployment.calls };
}

it('reads profile, project and texts in one request, as of the last acknowledged write', async () => {
  const { reads, calls } = await claimed({ body: JSON.stringify(TEXTS) });
  expect(reads.profile).toMatchObject({ agent: 'shell', model: 'newest' });
  expect(reads.settings()).toEqual({});
  expect(await reads.texts()).toEqual(TEXTS);
  const registryReads = calls.filter((call) => call instanceof BatchGetCommand);
  expect(registryReads).toHaveLength(1);
  // The other calls: the ready index, and the claim's write.
  expect(calls).toHaveLength(3);
});

it('does not read texts that the job itself has', async () => {
  const deployment = quietDeployment(LAG);
  const texts = { prompt: 'true', project: 'local_project', cwd: 'services' };
  const { prompt, ...fields } = texts;
  await deployment.store({ ...fields, id: ID, texts: JobTextStore.address(texts), prompt_preview: prompt });
  await deployment.profiles.put({ name: 'shell', agent: 'shell' });
  deployment.calls.length = 0;
  const { reads, job, calls } = await claimIn(deployment);
  expect(await reads.texts()).toEqual(texts);
  expect(await deployment.texts.get(job)).toEqual(texts);
  expect(calls.filter((call) => JSON.stringify(call).includes('texts#'))).toEqual([]);
});

it('texts that are damaged do not keep a job from being claimed: its attempt reports them', async () => {
  const { job, reads } = await claimed({ body: 'no JSON' });
  expect(job.status).toBe('RUNNING');
  await expect(reads.texts()).rejects.toThrow('JSON');
});

it('a message that comes too late reads the ready jobs first and last, and in between only its own job', async () => {
  const deployment = quietDeployment(LAG);
  const job = await deployment.store({ id: ID, status: 'SUCCEEDED', reason: 'exited' });
  deployment.calls.length = 0;
  const message = { v: 1, band: 'normal', project: job.project_id, job: job.id } as const;
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
  };
  await claim({ ...deployment, pause }, { message, handle: '', receives: 1 }, 'worker');
  expect(pauses).toBe(3);
  const queries = deployment.calls.filter((call) => call instanceof QueryCommand);
  expect(queries).toHaveLength(2);
  const reads = deployment.calls.filter((call) => call instanceof GetCommand && call.input.Key?.id === ID);
  expect(reads).toHaveLength(1 + pauses);
});

it.each(['profile first', 'project first'])(
  'a project and a profile of one name are not confused: %s',
  async (order) => {
    const items = [
      { kind: 'profile', id: 'same', profile: { name: 'same', agent: 'shell' } },
      { kind: 'project', id: 'same', settings: { exclusive_cwd: true } },
    ];
    const texts = { get: vi.fn(async () => TEXTS), read: vi.fn() };
    const readClaimItems = async () => (order === 'profile first' ? items : items.toReversed());
    const reads = await readForClaim({ readClaimItems, texts }, aJob({ profile: 'same', project_id: 'same' }));
    expect(reads.profile).toMatchObject({ name: 'same', agent: 'shell' });
    expect(reads.settings()).toEqual({ exclusive_cwd: true });
    // They were not among what was read.
    expect(await reads.texts()).toBe(TEXTS);
    expect(texts.read).not.toHaveBeenCalled();
  },
);

it('what a claim has read answers for its own project and profile only', async () => {
  const job = aJob();
  const deployment = quietDeployment();
  await deployment.profiles.put({ name: 'other', agent: 'shell' });
  await deployment.profiles.put({ name: job.profile, agent: 'codex' });
  const profiles = claimedProfile(deployment, job, { profile: undefined });
  expect(await profiles.get(job.profile)).toBeUndefined();
  expect(await profiles.get('other')).toMatchObject({ agent: 'shell' });
  const settings = claimedSettings(deployment, job, { settings: () => ({ exclusive_cwd: true }) });
  expect(await settings.get(job.project_id)).toEqual({ exclusive_cwd: true });
  expect(await settings.get('other')).toEqual({});
});
