import { GetQueueAttributesCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { claim } from '../../../../lib/jobs/admission/claim.ts';
import { indexKeys } from '../../../../lib/jobs/indexes/index-keys.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { NEWEST_JOB_SCHEMA, NewerSchemaError } from '../../../../lib/jobs/lifecycle/newer-schema.ts';
import { reconcile } from '../../../../lib/reconciler/reconciler.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { aJob, aRunningJob } from '../a-job.ts';

/** Jobs and messages of a later schema, which this version can't read. */
let deployment: EmulatedDeployment;
beforeEach(async () => {
  deployment = await emulateDeployment();
});
afterEach(async () => await deployment.stop());

const LATER = { schema: NEWEST_JOB_SCHEMA + 1, texts: { base: 'moved', of: 'another shape' }, retries: 'three' };

async function storeLater(job: Job): Promise<Record<string, unknown>> {
  const Item = { ...job, ...indexKeys(job), ...LATER };
  await deployment.table.send(new PutCommand({ TableName: deployment.env.JOBS_TABLE, Item }));
  return Item;
}

async function itemOf(id: string): Promise<unknown> {
  return (await deployment.table.send(new GetCommand({ TableName: deployment.env.JOBS_TABLE, Key: { id } }))).Item;
}

/** How many messages of a queue wait, and how many are hidden. */
async function depths(url: string | undefined): Promise<(string | undefined)[]> {
  const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const { Attributes } = await deployment.queues.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: [...names] }),
  );
  return names.map((name) => Attributes?.[name]);
}

describe('a job of a later schema', () => {
  it('is not claimed, whatever its place; its dispatch message is returned for newer workers', async () => {
    const later = await storeLater(aJob({ id: 'job_later', priority: 9 }));
    await deployment.store({ id: 'job_known', priority: 1 });
    const message = { v: 1, band: 'high', project: 'local_project', job: 'job_later' } as const;
    const held = { message, handle: 'none', receives: 9, sentAt: 0 };
    expect(await claim(deployment, held, 'worker')).toMatchObject({ kind: 'claimed', job: { id: 'job_known' } });
    expect(await claim(deployment, held, 'worker')).toEqual({ kind: 'retry_later', seconds: 30 });
    expect(await itemOf('job_later')).toEqual(later);
  });

  it('is skipped by reconcile-jobs, which continues with the others', async () => {
    const lease_until = '2026-11-20T10:00:30.000Z';
    const later = await storeLater(aRunningJob({ id: 'job_later', lease_until }));
    await deployment.store(aRunningJob({ id: 'job_known', lease_until }));
    await reconcile(deployment, { redrive: true });
    expect(await deployment.jobs.get('job_known', { consistent: true })).toMatchObject({ status: 'QUEUED', losses: 1 });
    expect(await itemOf('job_later')).toEqual(later);
  });

  it('raises a named error when it is read or changed', async () => {
    await storeLater(aJob({ id: 'job_later' }));
    await expect(deployment.jobs.get('job_later', { consistent: true })).rejects.toThrow(NewerSchemaError);
    expect(await deployment.jobs.find('job_later')).toBe('newer');
  });
});

describe('a dispatch message of a later version', () => {
  const body = JSON.stringify({ v: 2, of: 'another shape' });

  it('stays in its queue; an invalid message is deleted', async () => {
    const { QUEUE_URL_LOW: url } = deployment.env;
    for (const MessageBody of [body, 'nonsense', '{"v":1}'])
      await deployment.queues.send(new SendMessageCommand({ QueueUrl: url, MessageBody }));
    for (let look = 0; look < 3; look += 1) expect(await deployment.dispatchQueues.receive('low', 0)).toBeUndefined();
    expect(await depths(url)).toEqual(['0', '1']);
  });
});
