import { TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { expect, it } from 'vitest';
import { transition } from '../../../../lib/jobs/dispatch/transition.ts';
import type { JobEvent } from '../../../../lib/jobs/lifecycle/job-event.ts';
import { JobStore } from '../../../../lib/jobs/store/job-store.ts';
import { quietDeployment } from '../../../simulation/worlds/quiet-deployment.ts';
import { aJob, aRunningJob } from '../a-job.ts';

/** A store whose updates each meet so many transactions of the same job first; `happen`: after the first. */
function meeting(times: number, happen: () => Promise<unknown> = async () => undefined) {
  const deployment = quietDeployment();
  let left = times;
  const send = async (command: unknown) => {
    if (!(command instanceof UpdateCommand) || left === 0) return await deployment.table.send(command as never);
    left -= 1;
    if (left === times - 1) await happen();
    throw new TransactionConflictException({ $metadata: {}, message: 'there is an ongoing transaction for the item' });
  };
  const jobs = new JobStore({ send } as unknown as DynamoDBDocumentClient, deployment.env.JOBS_TABLE);
  return { deployment, context: { ...deployment, jobs } };
}

const cancel: JobEvent = { type: 'cancel' };
const claim: JobEvent = { type: 'claim', workerId: 'worker-1' };

it.each([cancel, claim])('$type is applied, though its write met transactions that were not', async (event) => {
  const { deployment, context } = meeting(3);
  const job = await deployment.store(aJob());
  expect(await transition(context, job, event, { rounds: 1 })).toMatchObject({ done: true });
});

it('a claim loses against the message that it met', async () => {
  const message = async () => await transition(deployment, job, { type: 'message' });
  const { deployment, context } = meeting(1, message);
  const job = await deployment.store(aJob());
  expect(await transition(context, job, claim, { rounds: 1 })).toMatchObject({ done: false, job: { messages: 1 } });
  expect(await deployment.read(job)).toMatchObject({ status: 'QUEUED', messages: 1 });
});

it('a heartbeat is written, though it met a transaction', async () => {
  const { deployment, context } = meeting(2);
  const job = await deployment.store(aRunningJob());
  const lease_until = '2026-11-20T10:01:00.000Z';
  expect(await context.jobs.touch(job, { lease_until })).toMatchObject({ lease_until });
});
