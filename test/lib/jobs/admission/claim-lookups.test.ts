import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { type Claim, type ClaimContext, claim } from '../../../../lib/jobs/admission/claim.ts';
import { OwnClaims } from '../../../../lib/jobs/admission/own-claims.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { jobIdOfKey } from '../../../../lib/jobs/lifecycle/job-id.ts';
import { NEWEST_JOB_SCHEMA } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
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
    return jobs;
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
  it('when all that it lists has been claimed by others', async () => {
    const deployment = quietDeployment();
    const listed = await deployment.store({ id: ID });
    await deployment.jobs.apply(listed, { ...listed, status: 'RUNNING', reason: 'running' });
    const { asked, readReady } = listing(listed);
    expect(await claimFor(deployment, ID, { readReady })).toMatchObject({ kind: 'retry_later' });
    expect(asked).toHaveLength(1);
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
