import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { type Claim, type ClaimContext, claim } from '../../../../lib/jobs/admission/claim.ts';
import { OwnClaims } from '../../../../lib/jobs/admission/own-claims.ts';
import { suffixOf } from '../../../../lib/jobs/indexes/list-keys.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { NEWEST_JOB_SCHEMA } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
import { settingsKey } from '../../../../lib/projects/project-settings.ts';
import { type QuietDeployment, quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob } from '../a-job.ts';

const ID = jobIdOfKey('lookups');
const PROJECT = 'local_project';

async function claimFor(
  deployment: QuietDeployment,
  job: string,
  {
    receives = 2,
    band = 'normal',
    ...more
  }: Partial<ClaimContext> & { receives?: number; band?: 'normal' | 'high' } = {},
): Promise<Claim> {
  const message = { v: 1, band, project: PROJECT, job } as const;
  const context = { ...deployment, pause: async () => undefined, ...more };
  return await claim(context, { message, handle: '', receives }, 'worker');
}

/** What a stale index lists, and how often it is asked, at most twenty times. */
function listing(...jobs: readonly Job[]) {
  const asked: string[] = [];
  const readReady = async (partition: string) => {
    asked.push(partition);
    if (asked.length > 20) throw new Error('the index is read without end');
    return { jobs };
  };
  return { asked, readReady };
}

describe('a message that has overtaken the write of its job', () => {
  it.each<[string, Partial<Job>, Partial<Claim>]>([
    ['starts it', {}, { kind: 'claimed' }],
    [
      'comes again for a worker of the later version',
      { reason: 'budget_reached' },
      { kind: 'retry_later', seconds: 30 },
    ],
  ])('%s, after one pause', async (_what, state, expected) => {
    const deployment = quietDeployment();
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
      if (pauses === 1) await deployment.store({ id: ID, ...state });
    };
    expect(await claimFor(deployment, ID, { receives: 1, pause })).toMatchObject(expected);
    expect(pauses).toBe(1);
  });

  it('comes again in half a minute for a worker that reads the schema of the job', async () => {
    const deployment = quietDeployment();
    const Item = { ...aJob({ id: ID }), schema: NEWEST_JOB_SCHEMA + 1 };
    await deployment.table.send(new PutCommand({ TableName: deployment.env.JOBS_TABLE, Item }));
    expect(await claimFor(deployment, ID)).toEqual({ kind: 'retry_later', seconds: 30 });
  });
});

describe('the ready index is read once', () => {
  it.each([
    ['', new Set<string>(), 1],
    [' in each partition of a hot project', new Set([PROJECT]), 4],
  ])('%s when all that it lists has been claimed by others', async (_where, hotProjects, times) => {
    const deployment = quietDeployment();
    const listed = await deployment.store({ id: ID });
    await deployment.jobs.apply(listed, { ...listed, status: 'RUNNING', reason: 'running' });
    const { asked, readReady } = listing(listed);
    expect(await claimFor(deployment, ID, { readReady, hotProjects })).toMatchObject({ kind: 'retry_later' });
    expect(asked).toHaveLength(times);
  });

  it('when another slot of the worker is claiming the job of the message', async () => {
    const deployment = quietDeployment();
    const job = await deployment.store({ id: ID });
    const ownClaims = new OwnClaims();
    void ownClaims.attempt(job, () => Promise.withResolvers<undefined>().promise);
    const { asked, readReady } = listing();
    expect(await claimFor(deployment, ID, { readReady, ownClaims })).toEqual({ kind: 'retry_later', seconds: 3 });
    expect(asked).toHaveLength(1);
  });
});

it('the message of a job that has ended takes no slot for it', async () => {
  const deployment = quietDeployment();
  await deployment.profiles.put({ name: 'narrow', agent: 'shell', concurrency: 1 });
  await deployment.store({ id: ID, profile: 'narrow', status: 'CANCELLED', reason: 'cancelled_by_request' });
  expect(await claimFor(deployment, ID)).toEqual({ kind: 'retry_later', seconds: 3 });
  expect(await deployment.slots.read('profile#narrow#0')).toBeUndefined();
});

describe('a worker that learns by a claim that a project is hot', () => {
  const spreadIds = Array.from({ length: 30 }, (_, n) => jobIdOfKey(`spread ${n}`)).filter(
    (id) => suffixOf({ id }) !== '0',
  );
  const BEST = spreadIds[0] ?? '';

  async function hotProject() {
    const deployment = quietDeployment();
    const Item = { ...settingsKey(PROJECT), spread_at: '2026-11-20T10:00:00.000Z' };
    await deployment.table.send(new PutCommand({ TableName: deployment.env.REGISTRY_TABLE, Item }));
    for (const [n, id] of [ID, jobIdOfKey('next')].entries()) await deployment.store({ id, priority: 2 - n });
    await deployment.store({ id: BEST, priority: 9, spread: true });
    return deployment;
  }

  it('claims the best of all partitions, not the next that it has read', async () => {
    const claimed = await claimFor(await hotProject(), jobIdOfKey('gone'), { band: 'high' });
    expect(claimed).toMatchObject({ kind: 'claimed', job: { id: BEST } });
  });

  it('claims the best of all partitions, not the job of the message', async () => {
    const deployment = await hotProject();
    let reads = 0;
    const readReady: ClaimContext['readReady'] = async (...asked) => {
      reads += 1;
      return reads === 1 ? { jobs: [] } : await deployment.readReady(...asked);
    };
    const claimed = await claimFor(deployment, ID, { band: 'high', readReady });
    expect(claimed).toMatchObject({ kind: 'claimed', job: { id: BEST } });
  });

  it('claims its only job though the partition that all projects have is empty', async () => {
    const deployment = quietDeployment();
    const Item = { ...settingsKey(PROJECT), spread_at: '2026-11-20T10:00:00.000Z' };
    await deployment.table.send(new PutCommand({ TableName: deployment.env.REGISTRY_TABLE, Item }));
    await deployment.store({ id: BEST, priority: 9, spread: true });
    const { readReady: atMost } = listing();
    const readReady: ClaimContext['readReady'] = async (...asked) => {
      await atMost(asked[0]);
      return await deployment.readReady(...asked);
    };
    const claimed = await claimFor(deployment, ID, { band: 'high', readReady });
    expect(claimed).toMatchObject({ kind: 'claimed', job: { id: BEST } });
  });

  it('keeps the job that it has claimed when another of its slots was the first to learn it', async () => {
    const deployment = await hotProject();
    const hotProjects = new Set<string>();
    const readReady = async () => {
      hotProjects.add(PROJECT);
      return { jobs: [] };
    };
    const claimed = await claimFor(deployment, ID, { band: 'high', hotProjects, readReady });
    expect(claimed).toMatchObject({ kind: 'claimed', job: { id: ID } });
  });
});
