import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createJob } from '../../../../lib/jobs/creation/create-job.ts';
import type { Job } from '../../../../lib/jobs/lifecycle/job.ts';
import { type EmulatedDeployment, emulateDeployment } from '../../../stand-ins/emulated-deployment.ts';

let deployment: EmulatedDeployment;
beforeAll(async () => {
  deployment = await emulateDeployment();
});
afterAll(async () => {
  await deployment.stop();
});

/** Bytes that DynamoDB charges for: names and values, numbers by their digits, 3 and 1 more around lists and maps. */
function sizeOf(item: object): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0);
}

/** @param attribute such as `{ S: 'text' }` */
function valueSize(attribute: object): number {
  const [[type, value] = []] = Object.entries(attribute);
  if (type === 'S') return Buffer.byteLength(String(value));
  if (type === 'N') return Math.ceil(String(value).replace(/\D/g, '').length / 2) + 1;
  if (type !== 'L' && type !== 'M') return 1;
  const members = Object.entries(value as object);
  const names = type === 'L' ? 0 : Buffer.byteLength(members.map(([name]) => name).join(''));
  return members.reduce((sum, [, one]) => sum + valueSize(one) + 1, 3 + names);
}

async function stored(id: string): Promise<Record<string, unknown>> {
  const { Item = {} } = await deployment.table.send(
    new GetCommand({ TableName: deployment.env.JOBS_TABLE, Key: { id } }),
  );
  return Item;
}

/** What a job has while it runs, and after attempts that said everything. */
const EVERYTHING: Partial<Job> = {
  status: 'SUCCEEDED',
  reason: 'exited',
  attempt: 3,
  started_at: '2026-11-20T10:00:00.000Z',
  finished_at: '2026-11-20T10:00:00.000Z',
  worker_id: 'worker_0123456789ab',
  retries_used: 1,
  losses: 1,
  exit_code: 0,
  session_id: '0199a213-81c0-7800-8aa1-bbab2a035a53',
  model_used: 'claude-sonnet-4-5-20250929',
  usage: { input_tokens: 12_345, cached_input_tokens: 9_876, output_tokens: 1_234, reasoning_output_tokens: 567 },
  stdout_bytes: 123_456,
  stderr_bytes: 1_234,
  has_changes: true,
  claim_id: 'abcdefgh',
};

it('the item of a job stays small, whatever its name', async () => {
  const job = { prompt: 'Fix the login form of the shop, and add a test that fails without it.', profile: 'codex' };
  const { id } = await createJob(deployment, job, 'token:ci');
  const plain = sizeOf(marshall(await stored(id)));
  const tags = Array.from({ length: 10 }, (_, n) => `${n}`.padEnd(40, 'x'));
  const named = await createJob(
    deployment,
    { ...job, title: 'ü'.repeat(120), tags, copied_from: id, model: 'claude-sonnet-4-5', timeout: 3_600, priority: 10 },
    'token:ci',
  );
  const item = { ...(await stored(named.id)), ...EVERYTHING };
  const whole = sizeOf(marshall(item));
  expect({ plain, whole }).toSatisfy((sizes) => sizes.plain <= 700 && sizes.whole <= 1_000);
  expect(item).not.toHaveProperty('title');
});
