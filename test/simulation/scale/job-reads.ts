import { BatchGetCommand, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { claim } from '../../../lib/jobs/admission/claim.ts';
import { createJob } from '../../../lib/jobs/creation/create-job.ts';
import { endAttempt } from '../../../lib/jobs/dispatch/end-attempt.ts';
import { afterAttempt } from '../../../lib/reconciler/after-attempt.ts';
import { aReceipt } from '../../lib/jobs/a-job.ts';
import { ENV } from '../model/environment.ts';
import { quietDeployment } from '../worlds/quiet-deployment.ts';
import type { Step, Touch } from './job-writes.ts';

/** Every request reads the token that authenticates it, consistently. */
const TOKEN: Touch = { place: 'Registry', key: 'token/one', units: 1, kind: 'reads' };

/** What the service reads for a short job of a project, by its own code over the model of the tables. */
export async function readsOfLife(project: string): Promise<Record<Step, readonly Touch[]>> {
  const deployment = quietDeployment();
  const { calls } = deployment;
  const readsOf = async (act: () => Promise<unknown>): Promise<Touch[]> => {
    const from = calls.length;
    await act();
    return calls.slice(from).flatMap(readsOfCall);
  };
  const creation = { prompt: 'true', profile: 'codex', project };
  await createJob(deployment, { ...creation, draft: true }, 'token:test');
  const claimOf = (job: string) => {
    const message = { v: 1, band: 'normal', project, job } as const;
    return claim(deployment, { message, handle: 'handle', receives: 1 }, 'worker-1');
  };
  let id = '';
  const create = await readsOf(async () => ({ id } = await createJob(deployment, creation, 'token:test')));
  const reads = await readsOf(() => claimOf(id));
  const running = await deployment.read({ id });
  if (running?.status !== 'RUNNING') throw new Error('the job was not claimed');
  const receipt = aReceipt({ kind: 'succeeded', reason: 'exited' }, { job_id: id, attempt: running.attempt });
  const end = await readsOf(async () => {
    const ended = await endAttempt(deployment, running, receipt);
    if (ended.done) await afterAttempt(deployment, running, ended.job);
  });
  return { create: [TOKEN, ...create], claim: reads, end };
}

function readsOfCall(command: unknown): Touch[] {
  if (command instanceof GetCommand) {
    const { TableName, Key, ConsistentRead } = command.input;
    return [touch(TableName, Key ?? {}, ConsistentRead)];
  }
  if (command instanceof BatchGetCommand)
    return Object.entries(command.input.RequestItems ?? {}).flatMap(([name, { Keys = [], ConsistentRead }]) =>
      Keys.map((key) => touch(name, key, ConsistentRead)),
    );
  if (command instanceof QueryCommand) {
    const { IndexName, ExpressionAttributeValues = {}, ConsistentRead } = command.input;
    const [key] = Object.values(ExpressionAttributeValues);
    return [{ place: IndexName ?? 'Registry', key: String(key), units: unitsOf(ConsistentRead), kind: 'reads' }];
  }
  return [];
}

/** One item is in one partition, however many there are; jobs, and the rows beside them, are in many. */
function touch(table: string | undefined, key: Record<string, unknown>, consistent: boolean | undefined): Touch {
  const units = unitsOf(consistent);
  if (table === ENV.JOBS_TABLE) return { place: 'Jobs', key: '', units, kind: 'reads' };
  const [kind = '', ...ofJobs] = String(key.kind).split('#');
  return { place: 'Registry', key: ofJobs.length > 0 ? `${kind}#` : `${kind}/${String(key.id)}`, units, kind: 'reads' };
}

/** For up to 4 KB. */
function unitsOf(consistent: boolean | undefined): number {
  return consistent === true ? 1 : 0.5;
}
