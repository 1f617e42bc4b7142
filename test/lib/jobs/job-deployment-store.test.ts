import { PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { JobDeploymentStore } from '../../../lib/jobs/deployments/job-deployment-store.ts';
import { quietDeployment } from '../../simulation/worlds/quiet-deployment.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../stand-ins/emulated-deployment.ts';
import { repeatingTable } from '../../stand-ins/repeating-table.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

const AT = '2026-11-20T10:00:00.000Z';
const next = { job_id: 'job-1', attempt: 1, name: 'site', mode: 'custom', attempts: 0, created_at: AT } as const;

it('a deployment whose write was applied but not answered is written, and one that another wrote is not', async () => {
  const { registry } = deployment;
  const repeating = new JobDeploymentStore({ ...registry, table: repeatingTable(registry.table) });
  const store = new JobDeploymentStore(registry);
  const pending = { ...next, binding: 'b', state: 'pending', due_at: AT } as const;
  const written = await repeating.replace(undefined, pending);
  expect(written).toMatchObject({ state: 'pending', version: 1 });
  expect(await store.replace(undefined, { ...pending, state: 'failed' })).toBeUndefined();
  expect(await store.list('job-1')).toEqual([written]);
});

it('deployments are read as just written, although other reads lag behind', async () => {
  const { deployments, calls } = quietDeployment({ lag: 60_000 });
  const written = await deployments.replace(undefined, { ...next, binding: 'b', state: 'pending', due_at: AT });
  const read = await deployments.get({ job_id: 'job-1', attempt: 1, binding: 'b' });
  expect([read, ...(await deployments.list('job-1'))]).toEqual([written, written]);
  // The model has no query of the table itself that lags behind.
  const queries = calls.flatMap((call) => (call instanceof QueryCommand ? [call.input] : []));
  expect(queries).toEqual([expect.objectContaining({ ConsistentRead: true })]);
});

it('the deployments of a removed job are deleted, those of others stay', async () => {
  const { deployments } = quietDeployment();
  for (const [job_id, binding] of [['job-1', 'a'] as const, ['job-1', 'b'] as const, ['job-2', 'a'] as const])
    await deployments.replace(undefined, { ...next, job_id, binding, state: 'pending', due_at: AT });
  await deployments.removeAll('job-1');
  const left = await Promise.all(['job-1', 'job-2'].map(async (id) => (await deployments.list(id)).length));
  expect(left).toEqual([0, 1]);
});

it('a write that the table refuses is a failure, not one that another write came before', async () => {
  const { registry } = quietDeployment();
  const send = async (command: unknown) => {
    if (command instanceof PutCommand) throw new Error('throttled');
    return {};
  };
  const store = new JobDeploymentStore({ ...registry, table: { send } as unknown as typeof registry.table });
  const write = store.replace(undefined, { ...next, binding: 'b', state: 'pending', due_at: AT });
  await expect(write).rejects.toThrow('throttled');
});
