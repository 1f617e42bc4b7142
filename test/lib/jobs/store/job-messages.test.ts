import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { JobMessageStore } from '../../../../lib/jobs/store/job-messages.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';
import { repeatingTable } from '../../../stand-ins/repeating-table.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => await deployment.stop());

it('a change of a message whose answer was lost is recognised when it is repeated, and no other', async () => {
  const { registry } = deployment;
  const at = '2026-11-20T10:00:00.000Z';
  const row = { id: 'm', number: 1, text: 'text', state: 'pending', created_at: at, created_by: 'token:test' } as const;
  await registry.table.send(new PutCommand(new JobMessageStore(registry).creation('job_1', row)));
  const repeating = new JobMessageStore({ ...registry, table: repeatingTable(registry.table) });
  const sent = { ...row, state: 'sent', attempt: 1 };
  expect(await repeating.change('job_1', row, { state: 'sent', attempt: 1 })).toEqual(sent);
  expect(await repeating.change('job_1', row, { state: 'sent', attempt: 2 })).toBeUndefined();
  expect(await repeating.get('job_1', 'm')).toEqual(sent);
});
