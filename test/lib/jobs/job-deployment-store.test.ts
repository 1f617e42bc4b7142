import { afterAll, beforeAll, expect, it } from 'vitest';
import { JobDeploymentStore } from '../../../lib/jobs/deployments/job-deployment-store.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../emulated-deployment.ts';
import { repeatingTable } from '../../repeating-table.ts';

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
